package main

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"uploadlab/queues/messages"
	"uploadlab/recorder"
)

// graceful is how long one more message is waited for when all have come: a message that comes twice comes now.
const graceful = 20 * time.Millisecond

// source is a connection that messages come from.
type source struct {
	inlet
	closed atomic.Bool // by the consumer itself
}

// consumer receives messages, in a goroutine of its own, while the producer says that it sends.
type consumer struct {
	settings settings
	events   *recorder.Events
	rows     *recorder.Recorder
	listener net.Listener
	control  *control // nil until the first phase
	source   *source  // nil between rounds as published
	current  atomic.Pointer[intake]
	gauge    gauge
	asking   sync.Mutex // of the gauge
}

func startConsumer(s settings, events *recorder.Events, rows *recorder.Recorder) (*consumer, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, err
	}
	c := &consumer{settings: s, events: events, rows: rows, listener: listener}
	if c.gauge, err = transports[s.transport].gauge(&s); err != nil {
		return nil, fmt.Errorf("the broker at %s cannot be reached: %w", s.broker, err)
	}
	if s.loop != published {
		err = c.connect()
	}
	return c, err
}

func (c *consumer) connect() error {
	made, err := transports[c.settings.transport].inlet(&c.settings)
	if err != nil {
		return fmt.Errorf("the broker at %s cannot be reached: %w", c.settings.broker, err)
	}
	c.source = &source{inlet: made}
	c.current.Store(newIntake(0, &c.settings))
	go c.receive(c.source)
	return nil
}

func (c *consumer) disconnect() {
	c.source.closed.Store(true)
	c.source.close()
	c.source = nil
}

// receive takes messages in until the connection is closed.
func (c *consumer) receive(from *source) {
	for {
		body, err := from.next()
		nowNs := recorder.NowNs()
		if err == nil {
			c.current.Load().take(body, nowNs)
			if c.settings.ack {
				err = from.acknowledge()
			}
		}
		if err != nil {
			if !from.closed.Load() {
				time.Sleep(othersFirst)
				recorder.EndWith("A message could not be received: %v.", err)
			}
			return
		}
	}
}

// tally is what came in a phase.
type tally struct {
	received, different, duplicated, outOfOrder, wrong, bytes uint64
	left                                                      int
}

func (t *tally) add(in *intake, left int) {
	t.received += in.received.Load()
	t.different += in.arrivals.Different
	t.duplicated += in.arrivals.Duplicated
	t.outOfOrder += in.arrivals.OutOfOrder
	t.wrong += in.wrong
	t.bytes += in.bytes
	t.left += left
}

// phase does what the producer says until the phase is over.
func (c *consumer) phase(name string) (*tally, error) {
	if c.control == nil {
		conn, err := c.listener.Accept()
		if err != nil {
			return nil, err
		}
		c.control = controlOver(conn)
	}
	sums := &tally{}
	for {
		var said word
		if c.control.Decode(&said) != nil {
			return nil, errors.New("the producer is gone")
		}
		var err error
		switch said.Do {
		case beginRound:
			err = c.begin(name, said.Op)
		case endRound:
			err = c.end(said.Count, sums)
		case phaseOver:
			return sums, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (c *consumer) begin(phase string, op uint16) error {
	if c.settings.loop == published {
		if err := c.connect(); err != nil {
			return err
		}
	}
	in := newIntake(op, &c.settings)
	in.verifies = phase == "verify"
	if phase == "measure" {
		in.rows = c.rows
	}
	c.current.Store(in)
	return c.control.answer()
}

// end waits for what is still to come, as long as something comes at least every drain_s.
func (c *consumer) end(expected uint64, sums *tally) error {
	in := c.current.Load()
	last, lastAt := in.received.Load(), time.Now()
	for in.received.Load() < expected && time.Since(lastAt) < c.settings.drain {
		time.Sleep(time.Millisecond)
		if now := in.received.Load(); now != last {
			last, lastAt = now, time.Now()
		}
	}
	time.Sleep(graceful)
	left, err := c.depth()
	if err != nil {
		return fmt.Errorf("the depth of the queue cannot be asked: %w", err)
	}
	sums.add(in, left)
	if c.settings.loop == published {
		c.disconnect()
	}
	return c.control.answer()
}

func (c *consumer) depth() (int, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	return c.gauge.depth()
}

func (c *consumer) tellDepth() {
	if depth, err := c.depth(); err == nil {
		c.events.Tell("depth", recorder.Members{"messages": depth})
	}
}

// Verify implements recorder.Phases: each message is what it should be, in its place, and none is left.
func (c *consumer) Verify() error {
	sums, err := c.phase("verify")
	if err != nil {
		return err
	}
	expected := uint64(len(messages.VerifySizes))
	failures := sums.wrong + uint64(sums.left)
	if sums.received < expected {
		failures += expected - sums.received
	}
	c.events.Tell("verified", recorder.Members{"messages": sums.received, "bytes": sums.bytes, "failures": failures})
	if failures > 0 {
		return fmt.Errorf("of %d messages %d came, %d of them with other bytes than were sent, and %d were left in the queue",
			expected, sums.received, sums.wrong, sums.left)
	}
	return nil
}

// WarmUp implements recorder.Phases.
func (c *consumer) WarmUp() error { return c.load("warm_up") }

// Measure implements recorder.Phases.
func (c *consumer) Measure(int64) error { return c.load("measure") }

func (c *consumer) load(name string) error {
	over := make(chan struct{})
	defer close(over)
	if name == "measure" && c.settings.depthEvery > 0 {
		go every(c.settings.depthEvery, over, c.tellDepth)
	}
	c.events.Tell("phase", recorder.Members{"name": name, "edge": "begin"})
	sums, err := c.phase(name)
	if err != nil {
		return err
	}
	c.events.Tell("phase", recorder.Members{"name": name, "edge": "end"})
	c.events.Tell("counters", recorder.Members{
		"phase": name, "received": sums.received, "received_bytes": sums.bytes, "different": sums.different,
		"duplicated": sums.duplicated, "out_of_order": sums.outOfOrder, "wrong": sums.wrong, "left": sums.left,
		"lost_records": c.rows.Lost(),
	})
	return nil
}

func (c *consumer) stop() {
	if c.source != nil {
		c.disconnect()
	}
	c.gauge.close()
	c.listener.Close()
}
