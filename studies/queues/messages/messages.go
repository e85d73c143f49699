// Package messages makes the messages of the queues study, and checks them where they arrive.
package messages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"

	"uploadlab/recorder"
)

const (
	// HeaderBytes is what a message of bytes begins with: its number, its round, two bytes of 0, its length.
	HeaderBytes = 12
	// MostBytes is the longest message.
	MostBytes = 1 << 20
	// DigitBytes is the length of a message of digits: that of a time in nanoseconds, which the paper sent.
	DigitBytes = 19

	edgeBytes  = 16
	wholeEvery = 1000
	seqBytes   = 4
	seqDigits  = 9
)

// VerifySizes are those at which a header, a length field or a buffer ends, and their neighbours.
var VerifySizes = []int{0, 1, 2, 11, 12, 13, 19, 100, 127, 128, 255, 256, 1023, 1024, 4095, 4096, 4097, 10240, 65535, 65536}

// pattern holds every value of a byte, line feeds and zeros among them, in an order of no short period.
var pattern = func() []byte {
	made := make([]byte, MostBytes)
	for i := range made {
		made[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return made
}()

// Format makes messages of one kind, and tells which they are.
type Format interface {
	// Fill returns message seq of a round; it is valid until the next call.
	Fill(op uint16, seq uint32) []byte
	// Check says which message of a round this is, and whether it is what it should be.
	Check(op uint16, body []byte) (uint32, recorder.Status)
	// Verify returns message i of the contract's proof, or nil behind the last.
	Verify(i int) []byte
}

// Bytes are messages of a length, of any bytes.
type Bytes struct{ outgoing []byte }

// NewBytes makes messages of a length.
func NewBytes(length int) *Bytes {
	outgoing := append([]byte(nil), pattern[:length]...)
	binary.LittleEndian.PutUint32(outgoing[8:], uint32(length))
	binary.LittleEndian.PutUint16(outgoing[6:], 0)
	return &Bytes{outgoing: outgoing}
}

// Fill implements Format.
func (b *Bytes) Fill(op uint16, seq uint32) []byte {
	binary.LittleEndian.PutUint32(b.outgoing, seq)
	binary.LittleEndian.PutUint16(b.outgoing[4:], op)
	return b.outgoing
}

// IsOfLoad says whether a body has the header of a message of a load, which those that verify have not.
func IsOfLoad(body []byte) bool {
	return len(body) >= HeaderBytes && binary.LittleEndian.Uint16(body[6:]) == 0 &&
		binary.LittleEndian.Uint32(body[8:]) == uint32(len(body))
}

// Check implements Format.
func (b *Bytes) Check(op uint16, body []byte) (uint32, recorder.Status) {
	if len(body) < seqBytes {
		return 0, recorder.WrongLength
	}
	seq := binary.LittleEndian.Uint32(body)
	if len(body) != len(b.outgoing) {
		return seq, recorder.WrongLength
	}
	if binary.LittleEndian.Uint16(body[4:]) != op || !IsOfLoad(body) {
		return seq, recorder.WrongBytes
	}
	start := HeaderBytes
	if seq%wholeEvery != 0 && len(body) > HeaderBytes+2*edgeBytes { // only the edges
		end := HeaderBytes + edgeBytes
		if !bytes.Equal(body[HeaderBytes:end], pattern[HeaderBytes:end]) {
			return seq, recorder.WrongBytes
		}
		start = len(body) - edgeBytes
	}
	if !bytes.Equal(body[start:], pattern[start:len(body)]) {
		return seq, recorder.WrongBytes
	}
	return seq, recorder.Good
}

// Verify implements Format: every size, of bytes that end lines and strings.
func (b *Bytes) Verify(i int) []byte {
	if i >= len(VerifySizes) {
		return nil
	}
	return pattern[i : i+VerifySizes[i]]
}

// Digits are messages of 19 digits, which is what the paper's line protocol can carry.
type Digits struct{}

// Fill implements Format: a 1 and nine digits of the number, then nine of a sum over round and number.
func (Digits) Fill(op uint16, seq uint32) []byte {
	var both [6]byte
	binary.LittleEndian.PutUint32(both[:], seq)
	binary.LittleEndian.PutUint16(both[4:], op)
	return []byte(fmt.Sprintf("1%09d%09d", seq%1e9, crc32.ChecksumIEEE(both[:])%1e9))
}

// Check implements Format.
func (d Digits) Check(op uint16, body []byte) (uint32, recorder.Status) {
	if len(body) < 1+seqDigits {
		return 0, recorder.WrongLength
	}
	seq, err := strconv.ParseUint(string(body[1:1+seqDigits]), 10, 32)
	if len(body) != DigitBytes {
		return uint32(seq), recorder.WrongLength
	}
	if err != nil || !bytes.Equal(d.Fill(op, uint32(seq)), body) {
		return uint32(seq), recorder.WrongBytes
	}
	return uint32(seq), recorder.Good
}

// Verify implements Format: numbers of 19 digits.
func (d Digits) Verify(i int) []byte {
	if i >= len(VerifySizes) {
		return nil
	}
	return d.Fill(0xffff, uint32(i)*49999999)
}

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
