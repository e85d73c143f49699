package main

import (
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// word is what the producer tells the consumer; nothing is said while messages are under way.
//
// It says that a round begins, and goes on when the consumer has answered that it consumes; that the round ends after so
// many messages, which the consumer answers when they have come, or no more do; and that the phase is over.
type word struct {
	Do    string
	Op    uint16
	Count uint64
}

const (
	beginRound = "begin"
	endRound   = "end"
	phaseOver  = "over"
)

// control is the line between producer and consumer.
type control struct {
	*json.Encoder
	*json.Decoder
}

func controlOver(conn net.Conn) *control {
	return &control{Encoder: json.NewEncoder(conn), Decoder: json.NewDecoder(conn)}
}

// callConsumer reaches the consumer, which listens before it says that it is ready.
func callConsumer(address string) (*control, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, fmt.Errorf("the consumer cannot be reached: %w", err)
	}
	return controlOver(conn), nil
}

// ask says a word and waits for its answer, which is empty.
func (c *control) ask(said word) error {
	err := c.Encode(said)
	if err == nil {
		err = c.Decode(&word{})
	}
	if err != nil {
		return fmt.Errorf("the consumer is gone: %w", err)
	}
	return nil
}

func (c *control) answer() error { return c.Encode(word{}) }
