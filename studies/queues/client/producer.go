package main

import (
	"fmt"
	"math/rand"
	"sync/atomic"
	"time"

	"uploadlab/queues/messages"
	"uploadlab/recorder"
)

const ownOperations = 100_000

// producer sends messages to the broker and tells the consumer when.
type producer struct {
	settings settings
	events   *recorder.Events
	rows     *recorder.Recorder
	control  *control
	outlet   outlet // nil between rounds as published, where each has a connection of its own
}

// course is a phase as it goes on.
type course struct {
	name     string
	rows     *recorder.Recorder // nil where nothing is recorded
	format   messages.Format
	op       uint16
	seq      uint32 // of the next message
	sent     atomic.Uint64
	sentByte uint64
}

func startProducer(s settings, events *recorder.Events, rows *recorder.Recorder) (*producer, error) {
	control, err := callConsumer(s.consumer)
	if err != nil {
		return nil, err
	}
	p := &producer{settings: s, events: events, rows: rows, control: control}
	if s.loop != published {
		err = p.connect()
	}
	return p, err
}

func (p *producer) connect() error {
	made, err := transports[p.settings.transport].outlet(&p.settings)
	if err != nil {
		return fmt.Errorf("the broker at %s cannot be reached: %w", p.settings.broker, err)
	}
	p.outlet = made
	return nil
}

func (p *producer) disconnect() {
	p.outlet.close()
	p.outlet = nil
}

// round sends messages by a function while the consumer listens, and waits until they have come.
func (p *producer) round(c *course, send func() error) error {
	if err := p.control.ask(word{Do: beginRound, Op: c.op}); err != nil {
		return err
	}
	if p.settings.loop == published {
		if c.name == "measure" {
			time.Sleep(p.settings.roundPause)
		}
		if err := p.connect(); err != nil {
			return err
		}
		defer p.disconnect()
	}
	before := c.sent.Load()
	if err := send(); err != nil {
		return fmt.Errorf("a message could not be sent: %w", err)
	}
	if err := p.outlet.flush(); err != nil {
		return fmt.Errorf("a message was not confirmed: %w", err)
	}
	return p.control.ask(word{Do: endRound, Count: c.sent.Load() - before})
}

func (p *producer) over() error { return p.control.Encode(word{Do: phaseOver}) }

// Verify implements recorder.Phases: the consumer compares each message with what it should be.
func (p *producer) Verify() error {
	c := &course{name: "verify", format: p.settings.format()}
	if err := p.round(c, func() error { return p.sendVerifying(c) }); err != nil {
		return err
	}
	return p.over()
}

func (p *producer) sendVerifying(c *course) error {
	for i := 0; ; i++ {
		body := c.format.Verify(i)
		if body == nil {
			return nil
		}
		if err := p.outlet.send(body); err != nil {
			return err
		}
		c.sent.Add(1)
	}
}

// WarmUp implements recorder.Phases.
func (p *producer) WarmUp() error {
	p.events.Tell("own_cost", recorder.Members{"ns": ownCostNs(p.settings.format())})
	if p.settings.warmup == 0 || p.settings.loop == published {
		return p.over()
	}
	return p.load(&course{name: "warm_up", format: p.settings.format()}, recorder.NowNs(), p.settings.warmup)
}

// Measure implements recorder.Phases.
func (p *producer) Measure(startNs int64) error {
	c := &course{name: "measure", rows: p.rows, format: p.settings.format()}
	over := make(chan struct{})
	go every(time.Second, over, func() { recorder.Say("progress %d 0", c.sent.Load()) })
	defer close(over)
	return p.load(c, startNs, p.settings.duration)
}

func (p *producer) load(c *course, startNs int64, duration time.Duration) error {
	p.events.Tell("phase", recorder.Members{"name": c.name, "edge": "begin"})
	for op := 0; op < p.settings.rounds; op++ {
		c.op, c.seq = uint16(op), 0
		err := p.round(c, func() error {
			recorder.SleepUntil(startNs)
			return p.send(c, startNs, duration)
		})
		if err != nil {
			return err
		}
	}
	p.events.Tell("phase", recorder.Members{"name": c.name, "edge": "end"})
	p.events.Tell("counters", recorder.Members{
		"phase": c.name, "sent": c.sent.Load(), "sent_bytes": c.sentByte, "lost_records": p.rows.Lost(),
	})
	return p.over()
}

func (p *producer) send(c *course, startNs int64, duration time.Duration) error {
	endNs := startNs + int64(duration)
	switch p.settings.loop {
	case published:
		for c.seq < p.settings.messages {
			if _, err := p.sendNext(c, 0); err != nil {
				return err
			}
		}
		return nil
	case open:
		return p.sendOpen(c, startNs, endNs)
	}
	for now := startNs; now < endNs; {
		var err error
		if now, err = p.sendNext(c, 0); err != nil {
			return err
		}
	}
	return nil
}

// sendOpen sends at Poisson times, or at even ones, whether or not earlier messages have arrived.
func (p *producer) sendOpen(c *course, startNs, endNs int64) error {
	defer recorder.Punctual()()
	random := rand.New(rand.NewSource(p.settings.seed))
	gapNs := 1e9 / p.settings.rate
	for dueNs := float64(startNs); ; {
		if p.settings.even {
			dueNs += gapNs
		} else {
			dueNs += random.ExpFloat64() * gapNs
		}
		if int64(dueNs) >= endNs {
			return nil
		}
		recorder.SleepUntil(int64(dueNs))
		if _, err := p.sendNext(c, int64(dueNs)); err != nil {
			return err
		}
	}
}

// sendNext sends a message and returns when that was.
func (p *producer) sendNext(c *course, dueNs int64) (int64, error) {
	body := c.format.Fill(c.op, c.seq)
	seen := recorder.Seen{Op: c.op, Seq: c.seq, Bytes: uint32(len(body))}
	stamped := c.rows != nil && c.seq%p.settings.stampEvery == 0
	if stamped && dueNs != 0 {
		seen.Kind = recorder.Due
		c.rows.At(dueNs, seen)
	}
	sentNs := recorder.NowNs()
	if err := p.outlet.send(body); err != nil {
		return sentNs, err
	}
	if stamped {
		seen.Kind = recorder.Sent
		c.rows.At(sentNs, seen)
		seen.Kind = recorder.Accepted
		c.rows.Now(seen)
	}
	c.seq++
	c.sent.Add(1)
	c.sentByte += uint64(len(body))
	return sentNs, nil
}

// ownCostNs is what a message costs producer and consumer where no transport carries it.
func ownCostNs(format messages.Format) float64 {
	rows := recorder.InMemory(2 * ownOperations)
	begin := recorder.NowNs()
	for seq := uint32(0); seq < ownOperations; seq++ {
		body := format.Fill(0, seq)
		seen := recorder.Seen{Kind: recorder.Sent, Seq: seq, Bytes: uint32(len(body))}
		rows.Now(seen)
		if _, status := format.Check(0, body); status != recorder.Good {
			recorder.EndWith("The part's own check refused its own messages.")
		}
		seen.Kind = recorder.Received
		rows.Now(seen)
	}
	return float64(recorder.NowNs()-begin) / ownOperations
}

func (p *producer) stop() {
	if p.outlet != nil {
		p.disconnect()
	}
}
