package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"uploadlab/recorder"
)

const expected = "expected 'fill COUNT' or 'drain SECONDS [unacked]'"

// What a broker promises is tried by hand, or by a test that kills it in between:
//
//	client fill COUNT             send messages, and wait until they are confirmed where ACK=each; tells how many it sent,
//	                              also where the broker ends meanwhile: with LOOP=closed each of them was confirmed
//	client drain SECONDS          take what comes until nothing did for that time, and acknowledge it where ACK=each
//	client drain SECONDS unacked  take it, acknowledge nothing, and keep the connection until the input ends
func promise(s settings, arguments []string) error {
	if len(arguments) < 2 || len(arguments) > 3 {
		return errors.New(expected)
	}
	number, err := strconv.ParseFloat(arguments[1], 64)
	if err != nil {
		return fmt.Errorf("%s %s: expected a number", arguments[0], arguments[1])
	}
	switch {
	case arguments[0] == "fill" && len(arguments) == 2:
		return fill(s, uint32(number))
	case arguments[0] == "drain" && (len(arguments) == 2 || arguments[2] == "unacked"):
		return drain(s, time.Duration(number*float64(time.Second)), len(arguments) == 2)
	}
	return fmt.Errorf("'%s': %s", arguments[0], expected)
}

func fill(s settings, count uint32) error {
	out, err := transports[s.transport].outlet(&s)
	if err != nil {
		return err
	}
	format := s.format()
	for seq := uint32(0); seq < count; seq++ {
		if err := out.send(format.Fill(0, seq)); err != nil {
			tell(map[string]uint64{"sent": uint64(seq)})
			return err
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return tell(map[string]uint64{"sent": uint64(count)})
}

func drain(s settings, idle time.Duration, acknowledges bool) error {
	in, err := transports[s.transport].inlet(&s)
	if err != nil {
		return err
	}
	taken, ended := newIntake(0, &s), make(chan error, 1)
	go func() { ended <- takeAll(in, taken, s.ack && acknowledges) }()
	for before, first := uint64(0), true; first || taken.received.Load() != before; first = false {
		before = taken.received.Load()
		select {
		case err := <-ended:
			return err
		case <-time.After(idle):
		}
	}
	if acknowledges {
		in.close()
		<-ended
	}
	err = tell(map[string]uint64{
		"received": taken.received.Load(), "different": taken.arrivals.Different, "duplicated": taken.arrivals.Duplicated,
		"out_of_order": taken.arrivals.OutOfOrder, "wrong": taken.wrong,
	})
	if !acknowledges {
		io.Copy(io.Discard, os.Stdin)
	}
	return err
}

// takeAll takes messages in until the connection ends.
func takeAll(in inlet, taken *intake, acknowledges bool) error {
	for {
		body, err := in.next()
		if err != nil {
			return err
		}
		taken.take(body, recorder.NowNs())
		if acknowledges {
			if err := in.acknowledge(); err != nil {
				return err
			}
		}
	}
}

func tell(counts map[string]uint64) error {
	text, err := json.Marshal(counts)
	if err == nil {
		recorder.Say("%s", text)
	}
	return err
}
