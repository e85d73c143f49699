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

const expected = "expected 'fill COUNT' or 'drain SECONDS [unacked or hold]'"

// What a broker promises is tried by hand, or by a test that kills it in between:
//
//	client fill COUNT             send messages, and wait until they are confirmed where ACK=each; tells how many it sent,
//	                              also where the broker ends meanwhile: with LOOP=closed each of them was confirmed
//	client drain SECONDS          take what comes until nothing did for that time, and acknowledge it where ACK=each
//	client drain SECONDS unacked  take it and acknowledge nothing
//	client drain SECONDS hold     the same, and keep the connection until the input ends
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
	case arguments[0] == "drain" && (len(arguments) == 2 || arguments[2] == "unacked" || arguments[2] == "hold"):
		return drain(s, time.Duration(number*float64(time.Second)), append(arguments, "")[2])
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

func drain(s settings, idle time.Duration, how string) error {
	in, err := transports[s.transport].inlet(&s)
	if err != nil {
		return err
	}
	taken := newIntake(0, &s)
	ended, came := make(chan error, 1), make(chan struct{}, 1)
	go func() { ended <- takeAll(in, taken, s.ack && how == "", came) }()
	for waiting := true; waiting; {
		select {
		case err := <-ended:
			return err
		case <-came:
		case <-time.After(idle):
			waiting = false
		}
	}
	if how == "hold" {
		err = tellTaken(taken)
		io.Copy(io.Discard, os.Stdin)
		return err
	}
	in.close()
	<-ended
	return tellTaken(taken)
}

func tellTaken(taken *intake) error {
	return tell(map[string]uint64{
		"received": taken.received.Load(), "different": taken.arrivals.Different, "duplicated": taken.arrivals.Duplicated,
		"out_of_order": taken.arrivals.OutOfOrder, "wrong": taken.wrong,
	})
}

// takeAll takes messages in until the connection ends; came holds one when one came.
func takeAll(in inlet, taken *intake, acknowledges bool, came chan<- struct{}) error {
	for {
		body, err := in.next()
		if err != nil {
			return err
		}
		taken.take(body, recorder.NowNs())
		select {
		case came <- struct{}{}:
		default:
		}
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
