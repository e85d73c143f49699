package messages

// FarthestAhead is how far a number may lie beyond the next one expected; beyond it the number itself is wrong.
const FarthestAhead = 10_000_000

// Arrivals counts which numbers came, came again, or came behind a later one.
type Arrivals struct {
	seen       []uint64
	next       uint32
	Different  uint64
	Duplicated uint64
	OutOfOrder uint64
}

// Note takes a number in; it returns false when the number is too far ahead to be one.
func (a *Arrivals) Note(seq uint32) bool {
	if seq > a.next && seq-a.next > FarthestAhead {
		return false
	}
	word, bit := int(seq/64), uint64(1)<<(seq%64)
	for len(a.seen) <= word {
		a.seen = append(a.seen, 0)
	}
	if a.seen[word]&bit != 0 {
		a.Duplicated++
		return true
	}
	a.seen[word] |= bit
	a.Different++
	if seq < a.next {
		a.OutOfOrder++
	} else {
		a.next = seq + 1
	}
	return true
}
