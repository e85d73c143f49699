package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"uploadlab/queues/frames"
)

// framedLink is a connection in frames.
type framedLink struct{ *frames.Link }

func dialFrames(s *settings, wishes frames.Wishes) (framedLink, error) {
	conn, err := net.Dial("tcp", s.broker)
	if err != nil {
		return framedLink{}, err
	}
	link := frames.Over(conn)
	return framedLink{link}, link.Greet(wishes)
}

func framedGauge(s *settings) (gauge, error) { return dialFrames(s, frames.Wishes{}) }

func (f framedLink) depth() (int, error) {
	if err := f.Send(frames.Depth, nil); err != nil {
		return 0, err
	}
	kind, body, err := f.Read()
	if err != nil {
		return 0, err
	}
	if kind != frames.Depth || len(body) != 4 {
		return 0, fmt.Errorf("the broker answered '%c' when asked for the depth", kind)
	}
	return int(binary.LittleEndian.Uint32(body)), nil
}

func (f framedLink) close() error { return f.Close() }

// framedSender is a producer's connection.
type framedSender struct {
	framedLink
	confirm *confirms
}

func framedOutlet(s *settings) (outlet, error) {
	link, err := dialFrames(s, frames.Wishes{Confirm: s.confirms()})
	if err != nil {
		return nil, err
	}
	sender := &framedSender{framedLink: link}
	if s.confirms() {
		sender.confirm = newConfirms(s)
		go sender.readConfirms()
	}
	return sender, nil
}

func (f *framedSender) readConfirms() {
	for {
		kind, _, err := f.Read()
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
	return f.confirm.around(func() error { return f.Send(frames.Push, body) })
}

func (f *framedSender) flush() error { return f.confirm.all() }

// framedReceiver is a consumer's connection.
type framedReceiver struct {
	framedLink
	pull  bool
	pause time.Duration
}

func framedInlet(s *settings) (inlet, error) {
	link, err := dialFrames(s, frames.Wishes{Acks: s.ack, Prefetch: uint32(s.prefetch)})
	if err == nil && s.push {
		err = link.Send(frames.Consume, nil)
	}
	return &framedReceiver{framedLink: link, pull: !s.push, pause: s.pullPause}, err
}

func (f *framedReceiver) next() ([]byte, error) {
	for {
		if f.pull {
			if err := f.Send(frames.Pull, nil); err != nil {
				return nil, err
			}
		}
		kind, body, err := f.Read()
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

func (f *framedReceiver) acknowledge() error { return f.Send(frames.Ack, nil) }
