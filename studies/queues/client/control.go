package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"time"
)

// control is the line between producer and consumer; nothing is said on it while messages are under way.
//
// The producer says `begin PHASE OP`, the consumer `consuming`; the producer `end COUNT` when it has sent so many, the
// consumer `ended RECEIVED` when they have come, or no more do; the producer `over` at the end of the phase.
type control struct {
	conn   net.Conn
	reader *bufio.Reader
}

func controlOver(conn net.Conn) *control { return &control{conn: conn, reader: bufio.NewReader(conn)} }

// callConsumer reaches the consumer, which listens before it says that it is ready.
func callConsumer(address string) (*control, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, fmt.Errorf("the consumer cannot be reached: %w", err)
	}
	return controlOver(conn), nil
}

func (c *control) say(format string, values ...any) error {
	_, err := fmt.Fprintf(c.conn, format+"\n", values...)
	return err
}

// hear waits for a line.
func (c *control) hear() ([]string, error) {
	line, err := c.reader.ReadString('\n')
	return strings.Fields(line), err
}

// ask says a line and waits for one that begins with a word; it returns what follows the word.
func (c *control) ask(word, format string, values ...any) ([]string, error) {
	if err := c.say(format, values...); err != nil {
		return nil, fmt.Errorf("the consumer is gone: %w", err)
	}
	words, err := c.hear()
	if err != nil {
		return nil, fmt.Errorf("the consumer is gone: %w", err)
	}
	if len(words) == 0 || words[0] != word {
		return nil, fmt.Errorf("the consumer said %q, expected %s", words, word)
	}
	return words[1:], nil
}
