// The floor of the study: passes each message on to the consumer when it comes, without a queue.
//
//	relay known              passes it on after a law, with faults on demand
//	relay known draws COUNT  print the delays that the first messages would have
package main

import (
	"errors"
	"net"
	"os"

	"uploadlab/queues/frames"
	"uploadlab/recorder"
)

// relay passes on what producers push, one at a time.
type relay struct {
	consumer chan *frames.Link
	passOn   func(to *frames.Link, body []byte) error
}

func straight(to *frames.Link, body []byte) error { return to.Send(frames.Message, body) }

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

func main() {
	recorder.AnswerVersions()
	r := &relay{consumer: make(chan *frames.Link, 1), passOn: straight}
	if len(os.Args) > 1 {
		drawn := readLaw()
		if len(os.Args) == 4 {
			drawn.print(os.Args[3])
			return
		}
		r.passOn = readKnown(drawn).passOn
	}
	address := net.JoinHostPort(recorder.Text("HOST"), recorder.Text("PORT"))
	recorder.EndWith("The relay ends: %v.", frames.Listen(address, r.serve))
}
