package main

// confirms lets at most a number of messages be under way that the broker has not confirmed: one where the producer is
// throttled; nil where the broker confirms nothing.
type confirms struct {
	room      chan struct{} // holds one for each message under way
	failed    chan error
	throttled bool
}

func newConfirms(s *settings) *confirms {
	window := s.window
	if s.throttled() {
		window = 1
	}
	return &confirms{room: make(chan struct{}, window), failed: make(chan error, 1), throttled: s.throttled()}
}

// one takes in that the broker confirmed a message.
func (c *confirms) one() { <-c.room }

// fail takes in that no further confirm will come.
func (c *confirms) fail(err error) { c.failed <- err }

// around calls send when there is room, and where throttled waits until its message is confirmed.
func (c *confirms) around(send func() error) error {
	if c == nil {
		return send()
	}
	if err := c.takeRoom(); err != nil {
		return err
	}
	if err := send(); err != nil {
		return err
	}
	if !c.throttled {
		return nil
	}
	return c.all()
}

func (c *confirms) takeRoom() error {
	select {
	case c.room <- struct{}{}:
		return nil
	case err := <-c.failed:
		c.failed <- err
		return err
	}
}

// all returns when nothing is under way.
func (c *confirms) all() error {
	if c == nil {
		return nil
	}
	for i := 0; i < cap(c.room); i++ {
		if err := c.takeRoom(); err != nil {
			return err
		}
	}
	for i := 0; i < cap(c.room); i++ {
		<-c.room
	}
	return nil
}
