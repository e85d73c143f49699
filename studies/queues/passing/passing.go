// Package passing serves the frames of clients by passing each message straight on to the one that consumes.
package passing

import (
	"errors"
	"net"

	"uploadlab/queues/frames"
	"uploadlab/recorder"
)

// relay passes on what producers push.
type relay struct {
	consumer chan *frames.Link
	passOn   func(to *frames.Link, body []byte) error
}

// Run is a relay at HOST and PORT that passes a message on by calling passOn, one at a time, until the process ends.
func Run(passOn func(to *frames.Link, body []byte) error) {
	r := &relay{consumer: make(chan *frames.Link, 1), passOn: passOn}
	address := net.JoinHostPort(recorder.Text("HOST"), recorder.Text("PORT"))
	recorder.EndWith("The relay ends: %v.", frames.Listen(address, r.serve))
}

func (r *relay) serve(conn net.Conn) {
	link := frames.Over(conn)
	wishes, err := link.Welcome()
	for err == nil {
		var kind byte
		var body []byte
		if kind, body, err = link.Read(); err == nil {
			err = r.obey(link, wishes, kind, body)
		}
	}
}

func (r *relay) obey(link *frames.Link, wishes frames.Wishes, kind byte, body []byte) error {
	switch kind {
	case frames.Consume:
		select {
		case <-r.consumer: // of a consumer before, which is gone
		default:
		}
		r.consumer <- link
	case frames.Push:
		to := <-r.consumer
		err := r.passOn(to, body)
		r.consumer <- to
		if err == nil && wishes.Confirm {
			err = link.Send(frames.OK, nil)
		}
		return err
	case frames.Depth:
		return link.SendNumber(frames.Depth, 0)
	case frames.Pull:
		return errors.New("a relay keeps nothing that could be pulled")
	}
	return nil
}
