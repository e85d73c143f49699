package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"uploadlab/queues/frames"
)

func dialFrames(s *settings, wishes frames.Wishes) (*frames.Link, error) {
	conn, err := net.Dial("tcp", s.broker)
	if err != nil {
		return nil, err
	}
	link := frames.Over(conn)
	return link, link.Greet(wishes)
}

// framedSender is a producer's connection in frames.
type framedSender struct {
	link    *frames.Link
	confirm *confirms
}

func framedOutlet(s *settings) (outlet, error) {
	link, err := dialFrames(s, frames.Wishes{Confirm: s.confirms()})
	if err != nil {
		return nil, err
	}
	sender := &framedSender{link: link}
	if s.confirms() {
		sender.confirm = newConfirms(s)
		go sender.readConfirms()
	}
	return sender, nil
}

func (f *framedSender) readConfirms() {
	for {
		kind, _, err := f.link.Read()
		if err == nil && kind != frames.OK {
			err = fmt.Errorf("the broker answered '%c' to a message", kind)
		}
		if err != nil {
			f.confirm.fail(err)
			return
		}
		f.confirm.one()
	}
}

func (f *framedSender) send(body []byte) error {
	if f.confirm == nil {
		return f.link.Send(frames.Push, body)
	}
	return f.confirm.around(func() error { return f.link.Send(frames.Push, body) })
}

func (f *framedSender) flush() error {
	if f.confirm == nil {
		return nil
	}
	return f.confirm.all()
}

func (f *framedSender) close() error { return f.link.Close() }

// framedReceiver is a consumer's connection in frames.
type framedReceiver struct {
	link  *frames.Link
	pull  bool
	acks  bool
	pause time.Duration
}

func framedInlet(s *settings) (inlet, error) {
	link, err := dialFrames(s, frames.Wishes{Acks: s.ack, Prefetch: uint32(s.prefetch)})
	if err == nil && s.push {
		err = link.Send(frames.Consume, nil)
	}
	return &framedReceiver{link: link, pull: !s.push, acks: s.ack, pause: s.pullPause}, err
}

func (f *framedReceiver) next() ([]byte, error) {
	for {
		if f.pull {
			if err := f.link.Send(frames.Pull, nil); err != nil {
				return nil, err
			}
		}
		kind, body, err := f.link.Read()
		if err != nil {
			return nil, err
		}
		switch kind {
		case frames.Message:
			return body, nil
		case frames.Empty:
			time.Sleep(f.pause)
		default:
			return nil, fmt.Errorf("the broker sent '%c' to a consumer", kind)
		}
	}
}

func (f *framedReceiver) acknowledge() error {
	if !f.acks {
		return nil
	}
	return f.link.Send(frames.Ack, nil)
}

func (f *framedReceiver) close() error { return f.link.Close() }

// framedDepth asks for the depth of the queue.
type framedDepth struct{ link *frames.Link }

func framedGauge(s *settings) (gauge, error) {
	link, err := dialFrames(s, frames.Wishes{})
	return &framedDepth{link: link}, err
}

func (f *framedDepth) depth() (int, error) {
	if err := f.link.Send(frames.Depth, nil); err != nil {
		return 0, err
	}
	kind, body, err := f.link.Read()
	if err != nil {
		return 0, err
	}
	if kind != frames.Depth || len(body) != 4 {
		return 0, fmt.Errorf("the broker answered '%c' when asked for the depth", kind)
	}
	return int(binary.LittleEndian.Uint32(body)), nil
}

func (f *framedDepth) close() error { return f.link.Close() }
