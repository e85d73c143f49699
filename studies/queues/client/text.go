package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"time"
)

// text is a connection of the paper's line protocol, for all three uses.
type text struct {
	conn   net.Conn
	reader *bufio.Reader
	writer *bufio.Writer
	pause  time.Duration
}

func dialText(s *settings) (*text, error) {
	conn, err := net.Dial("tcp", s.broker)
	if err != nil {
		return nil, err
	}
	return &text{conn: conn, reader: bufio.NewReader(conn), writer: bufio.NewWriter(conn), pause: s.pullPause}, nil
}

func textOutlet(s *settings) (outlet, error) { return dialText(s) }
func textInlet(s *settings) (inlet, error)   { return dialText(s) }
func textGauge(s *settings) (gauge, error)   { return dialText(s) }

// ask sends a line, of a word and what follows it, and returns the answer without its end; valid until the next call.
func (t *text) ask(word string, rest []byte) ([]byte, error) {
	t.writer.WriteString(word)
	t.writer.Write(rest)
	t.writer.WriteByte('\n')
	if err := t.writer.Flush(); err != nil {
		return nil, err
	}
	line, err := t.reader.ReadSlice('\n')
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// send waits for the answer, as the paper's producer does.
func (t *text) send(body []byte) error {
	answer, err := t.ask("PUSH ", body)
	if err == nil && string(answer) != "OK" {
		err = fmt.Errorf("the broker answered %q to PUSH", answer)
	}
	return err
}

func (t *text) flush() error { return nil }

// next asks until there is a message, and sleeps between, as the paper's consumer does.
func (t *text) next() ([]byte, error) {
	for {
		answer, err := t.ask("PULL", nil)
		if err != nil {
			return nil, err
		}
		if body := bytes.TrimPrefix(answer, []byte("MSG ")); len(body) < len(answer) {
			return body, nil
		}
		if string(answer) != "EMPTY" {
			return nil, fmt.Errorf("the broker answered %q to PULL", answer)
		}
		time.Sleep(t.pause)
	}
}

func (t *text) acknowledge() error { return nil }

func (t *text) depth() (int, error) {
	answer, err := t.ask("DEPTH", nil)
	if err != nil {
		return 0, err
	}
	var depth int
	_, err = fmt.Sscanf(string(answer), "DEPTH %d", &depth)
	return depth, err
}

func (t *text) close() error { return t.conn.Close() }
