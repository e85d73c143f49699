package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"uploadlab/recorder"
)

// What a broker promises is tried by hand, or by a test that kills it in between:
//
//	client fill COUNT             send messages, and wait until they are confirmed where ACK=each
//	client drain SECONDS          take what comes until nothing did for that time, and acknowledge it where ACK=each
//	client drain SECONDS unacked  take it and acknowledge nothing
func promise(s settings, arguments []string) error {
	if len(arguments) < 2 || len(arguments) > 3 {
		return fmt.Errorf("expected 'fill COUNT' or 'drain SECONDS [unacked]'")
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
	return fmt.Errorf("'%s': expected 'fill COUNT' or 'drain SECONDS [unacked]'", arguments[0])
}

func fill(s settings, count uint32) error {
	out, err := transports[s.transport].outlet(&s)
	if err != nil {
		return err
	}
	format := s.format()
	for seq := uint32(0); seq < count; seq++ {
		if err := out.send(format.Fill(0, seq)); err != nil {
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
	taken := newIntake(0, &s)
	ended, came := make(chan error, 1), make(chan struct{}, 1)
	go func() { ended <- takeAll(in, taken, acknowledges, came) }()
	for waiting := true; waiting; {
		select {
		case err := <-ended:
			return err
		case <-came:
		case <-time.After(idle):
			waiting = false
		}
	}
	in.close()
	<-ended
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
