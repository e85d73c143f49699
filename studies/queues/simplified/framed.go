package main

import (
	"log"
	"net"
	"sync"

	"uploadlab/queues/frames"
)

// client is a connection of the framed stack.
type client struct {
	server *server
	link   *frames.Link
	wishes frames.Wishes

	mutex    sync.Mutex
	unacked  []string      // sent and not acknowledged, oldest first
	room     chan struct{} // holds one when an acknowledgement came
	gone     chan struct{}
	consumes bool // from then on it asks for nothing that has an answer
	left     bool
}

func (s *server) serveFrames(conn net.Conn) {
	link := frames.Over(conn)
	wishes, err := link.Welcome()
	if err != nil {
		return
	}
	c := &client{server: s, link: link, wishes: wishes, room: make(chan struct{}, 1), gone: make(chan struct{})}
	defer c.leave()
	for {
		kind, body, err := link.Read()
		if err != nil {
			return
		}
		if err := c.obey(kind, body); err != nil {
			log.Print(err)
			return
		}
	}
}

// leave gives back what was sent to a client and not acknowledged, and wakes a consumer that waits already.
func (c *client) leave() {
	close(c.gone)
	c.mutex.Lock()
	c.server.returned.give(c.unacked)
	c.unacked, c.left = nil, true
	c.mutex.Unlock()
	c.server.notify()
}

func (c *client) obey(kind byte, body []byte) error {
	switch kind {
	case frames.Push:
		c.server.push(string(body))
		if c.wishes.Confirm {
			return c.link.Send(frames.OK, nil)
		}
	case frames.Pull:
		message, found := c.next()
		if !found {
			return c.link.Send(frames.Empty, nil)
		}
		return c.link.Send(frames.Message, []byte(message))
	case frames.Consume:
		if !c.consumes {
			c.consumes = true
			go c.deliver()
		}
	case frames.Ack:
		c.acknowledged()
	case frames.Depth:
		return c.link.SendNumber(frames.Depth, uint32(c.server.store.depth()+c.server.returned.depth()))
	}
	return nil
}

// next takes a message for this client, and keeps it until it is acknowledged where that is wished.
func (c *client) next() (string, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.left || c.wishes.Prefetch > 0 && len(c.unacked) >= int(c.wishes.Prefetch) {
		return "", false
	}
	message, found := c.server.returned.pull()
	if !found {
		message, found = c.server.store.pull()
	}
	if found && c.wishes.Acks {
		c.unacked = append(c.unacked, message)
	}
	return message, found
}

func (c *client) acknowledged() {
	c.mutex.Lock()
	if len(c.unacked) > 0 {
		c.unacked = c.unacked[1:]
	}
	c.mutex.Unlock()
	select {
	case c.room <- struct{}{}:
	default:
	}
}

// deliver sends messages as they come until the client is gone. What waits together is sent together, unless each is to go
// by itself.
func (c *client) deliver() {
	defer c.server.notify() // whoever consumes next may have missed a message that woke this one
	for {
		message, found := c.next()
		if found {
			if c.send(message) != nil {
				return
			}
			continue
		}
		if c.link.Flush() != nil {
			return
		}
		select {
		case <-c.server.wake:
		case <-c.room:
		case <-c.gone:
			return
		}
	}
}

func (c *client) send(message string) error {
	if c.server.alone {
		return c.link.Send(frames.Message, []byte(message))
	}
	return c.link.Write(frames.Message, []byte(message))
}
