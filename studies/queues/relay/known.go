package main

// As `known` each message reaches the consumer after a delay of KNOWN_LAW (constant, exponential, lognormal, stalls) with a
// mean of KNOWN_MEAN_US, and every KNOWN_EVERY-th suffers KNOWN_FAULT (none, drop, double, swap, cut: without its last
// byte; corrupt: its last byte; corrupt_middle): for tests of everything behind it.

import (
	"math"
	"math/rand"
	"strconv"

	"uploadlab/queues/frames"
	"uploadlab/queues/messages"
	"uploadlab/recorder"
)

const stallEvery = 100

type law struct {
	name   string
	meanNs float64
	random *rand.Rand
	count  uint64
}

func (l *law) delayNs() float64 {
	l.count++
	switch l.name {
	case "exponential":
		return l.meanNs * l.random.ExpFloat64()
	case "lognormal": // sigma 0.5; the mean of exp(N) is exp(sigma^2 / 2)
		return l.meanNs * math.Exp(0.5*l.random.NormFloat64()-0.125)
	case "stalls":
		if l.count%stallEvery == 0 {
			return l.meanNs/2 + l.meanNs/2*stallEvery
		}
		return l.meanNs / 2
	}
	return l.meanNs
}

// print says the first delays, a line each in whole nanoseconds, to whom holds messages to them.
func (l *law) print(count string) {
	number, err := strconv.Atoi(count)
	if err != nil {
		recorder.EndWith("draws %s: expected a number.", count)
	}
	for i := 0; i < number; i++ {
		recorder.Say("%d", int64(l.delayNs()))
	}
}

type known struct {
	law   law
	fault string
	every uint64
	count uint64
	held  []byte
}

func (k *known) passOn(to *frames.Link, body []byte) error {
	cameNs := recorder.NowNs()
	if !messages.IsOfLoad(body) {
		return straight(to, body)
	}
	if delay := k.law.delayNs(); delay > 0 {
		waitUntil(cameNs + int64(delay))
	}
	k.count++
	if k.count%k.every == 0 && k.fault != "none" {
		return k.spoil(to, body)
	}
	if err := straight(to, body); err != nil || k.held == nil {
		return err
	}
	held := k.held
	k.held = nil
	return straight(to, held)
}

func (k *known) spoil(to *frames.Link, body []byte) error {
	switch k.fault {
	case "double":
		if err := straight(to, body); err != nil {
			return err
		}
		return straight(to, body)
	case "cut":
		return straight(to, body[:len(body)-1])
	case "corrupt":
		body[len(body)-1] ^= 1
		return straight(to, body)
	case "corrupt_middle":
		body[len(body)/2] ^= 1
		return straight(to, body)
	case "swap": // goes out behind the next one
		k.held = append([]byte(nil), body...)
	}
	return nil
}

// waitUntil sleeps most of the time and watches the clock for the rest.
func waitUntil(timeNs int64) {
	const spinNs = 200_000
	recorder.SleepUntil(timeNs - spinNs)
	for recorder.NowNs() < timeNs {
	}
}

func readLaw() law {
	return law{
		name:   recorder.OneOf("KNOWN_LAW", "constant", "exponential", "lognormal", "stalls"),
		meanNs: 1e3 * recorder.Number("KNOWN_MEAN_US", "2000"),
		random: rand.New(rand.NewSource(int64(recorder.Whole("SEED", "1", 0, math.MaxInt64)))),
	}
}

func readKnown(drawn law) *known {
	return &known{
		law:   drawn,
		fault: recorder.OneOf("KNOWN_FAULT", "none", "drop", "double", "swap", "cut", "corrupt", "corrupt_middle"),
		every: recorder.Whole("KNOWN_EVERY", "10000", 1, math.MaxUint32),
	}
}
