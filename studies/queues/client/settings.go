package main

import (
	"math"
	"time"

	"uploadlab/queues/messages"
	"uploadlab/recorder"
)

// The loops: who waits for whom.
const (
	published = "published" // each system as the paper used it, in rounds of a number of messages
	closed    = "closed"    // the next message is sent when the broker has confirmed the last
	open      = "open"      // Poisson arrivals, sent when due
	saturate  = "saturate"  // as fast as the connection takes them, or as the window of confirms allows
)

// settings are what the environment says; every name is the variable's.
type settings struct {
	produces        bool
	transport       string
	broker          string
	host, port      string
	consumer        string
	loop            string
	push            bool // the broker sends messages as they come; else the consumer asks for each
	ack             bool // messages are confirmed to the producer and acknowledged by the consumer, each
	prefetch        int
	window          int // at most so many messages are sent and not yet confirmed
	durable         bool
	digits          bool
	messageBytes    int
	rate            float64
	even            bool   // an open loop's messages come at even intervals
	messages        uint32 // of a round
	rounds          int
	roundPause      time.Duration
	pullPause       time.Duration
	duration        time.Duration
	warmup          time.Duration
	drain           time.Duration
	stampEvery      uint32
	depthEvery      time.Duration
	seed            int64
	recordsFile     string
	recordsCapacity int
	eventsFile      string
}

func seconds(name, otherwise string) time.Duration {
	return time.Duration(recorder.Number(name, otherwise) * float64(time.Second))
}

// readSettings ends the process with a sentence where a variable is missing or is no value of its kind.
func readSettings() settings {
	s := settings{
		produces:     recorder.OneOf("ROLE", "producer", "consumer") == "producer",
		transport:    recorder.OneOf("TRANSPORT", "simplified", "framed", "amqp"),
		broker:       recorder.Text("BROKER_ADDRESSES"),
		loop:         recorder.OneOf("LOOP", closed, open, saturate, published),
		push:         recorder.OneOf("DELIVERY", "push", "pull") == "push",
		ack:          recorder.OneOf("ACK", "none", "each") == "each",
		prefetch:     int(recorder.Whole("PREFETCH", "0", 0, math.MaxUint16)),
		window:       int(recorder.Whole("WINDOW", "1000", 1, 1<<20)),
		durable:      recorder.OneOf("DURABLE", "no", "yes") == "yes",
		digits:       recorder.OneOf("PAYLOAD", "bytes", "digits") == "digits",
		messageBytes: int(recorder.Whole("MESSAGE_BYTES", "100", messages.HeaderBytes, messages.MostBytes)),
		rate:         recorder.Number("RATE_PER_S", "0"),
		even:         recorder.OneOf("ARRIVALS", "poisson", "even") == "even",
		messages:     uint32(recorder.Whole("MESSAGES", "0", 0, 1e9)),
		rounds:       int(recorder.Whole("ROUNDS", "1", 1, math.MaxUint16)),
		roundPause:   seconds("ROUND_PAUSE_S", "1"),
		pullPause:    time.Duration(recorder.Number("PULL_PAUSE_US", "100") * float64(time.Microsecond)),
		duration:     seconds("DURATION_S", "0"),
		warmup:       seconds("WARMUP_S", "0"),
		drain:        seconds("DRAIN_S", "5"),
		stampEvery:   uint32(recorder.Whole("STAMP_EVERY", "1", 1, math.MaxUint32)),
		depthEvery:   time.Duration(recorder.Number("DEPTH_EVERY_MS", "100") * float64(time.Millisecond)),
		seed:         int64(recorder.Whole("SEED", "1", 0, math.MaxInt64)),
	}
	s.settle()
	return s
}

// readFiles reads what only a part of a run needs.
func (s *settings) readFiles() {
	s.recordsFile = recorder.Text("RECORDS_FILE")
	s.recordsCapacity = int(recorder.Whole("RECORDS_CAPACITY", "", 1, math.MaxUint32))
	s.eventsFile = recorder.Text("EVENTS_FILE")
	if s.produces {
		s.consumer = recorder.Text("CONSUMER_ADDRESSES")
	} else {
		s.host, s.port = recorder.Text("HOST"), recorder.Text("PORT")
	}
}

// settle sets what follows from other settings; which of them go together the study's driver has checked.
func (s *settings) settle() {
	if s.digits {
		s.messageBytes = messages.DigitBytes
	}
	if s.transport == "simplified" { // digits are what its line protocol can carry, and what it was made for
		s.transport = map[bool]string{true: "text", false: "framed"}[s.digits]
	}
	if s.loop == published { // the paper's: a line protocol that is pulled and answered, AMQP that is pushed and is not
		s.push, s.ack = s.transport == "amqp", false
	} else {
		s.rounds = 1 // messages come for a time
	}
}

// confirms says whether the producer waits for the broker, each message or when the window is full.
func (s *settings) confirms() bool {
	return s.ack || s.loop == closed || s.loop == published && s.transport != "amqp"
}

// throttled says whether the producer waits for the broker after each message.
func (s *settings) throttled() bool { return s.confirms() && (s.loop == closed || s.loop == published) }

func (s *settings) format() messages.Format {
	if s.digits {
		return messages.Digits{}
	}
	return messages.NewBytes(s.messageBytes)
}
