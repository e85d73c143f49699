// Package frames is the protocol of the framed stack: a kind, a length, and as many bytes, whatever they are.
package frames

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// Kinds of frames. A client greets first; the others are asked and answered.
const (
	Hello   = 'H' // client: its wishes
	Push    = 'P' // client: a message for the queue
	OK      = 'O' // server: the message is in the queue (where confirms are wished)
	Consume = 'C' // client: send me messages as they come
	Pull    = 'G' // client: send me one
	Message = 'M' // server: a message
	Empty   = 'E' // server: there is none
	Ack     = 'A' // client: the oldest message that was sent to me is done with
	Depth   = 'D' // client: how many messages wait? server: so many (four bytes)
)

const (
	headBytes = 5
	mostBytes = 1 << 24
)

// Wishes are what a client greets with.
type Wishes struct {
	Confirm  bool   // an OK for each message pushed
	Acks     bool   // messages count as delivered when acknowledged, and go back to the queue when the client is gone
	Prefetch uint32 // at most so many not acknowledged; 0 is as many as come
}

// Link is a connection that carries frames.
type Link struct {
	conn   net.Conn
	reader *bufio.Reader
	writer *bufio.Writer
	body   []byte
}

// Over makes a link of a connection.
func Over(conn net.Conn) *Link {
	return &Link{conn: conn, reader: bufio.NewReader(conn), writer: bufio.NewWriter(conn)}
}

// Write puts a frame into the buffer.
func (l *Link) Write(kind byte, body []byte) error {
	var head [headBytes]byte
	head[0] = kind
	binary.LittleEndian.PutUint32(head[1:], uint32(len(body)))
	if _, err := l.writer.Write(head[:]); err != nil {
		return err
	}
	_, err := l.writer.Write(body)
	return err
}

// Flush sends what is in the buffer.
func (l *Link) Flush() error { return l.writer.Flush() }

// Send writes a frame and sends it.
func (l *Link) Send(kind byte, body []byte) error {
	if err := l.Write(kind, body); err != nil {
		return err
	}
	return l.Flush()
}

// Read waits for a frame; its body is valid until the next call.
func (l *Link) Read() (byte, []byte, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(l.reader, head[:]); err != nil {
		return 0, nil, err
	}
	length := int(binary.LittleEndian.Uint32(head[1:]))
	if length > mostBytes {
		return 0, nil, fmt.Errorf("a frame of %d bytes; expected at most %d", length, mostBytes)
	}
	if cap(l.body) < length {
		l.body = make([]byte, length)
	}
	l.body = l.body[:length]
	_, err := io.ReadFull(l.reader, l.body)
	return head[0], l.body, err
}

// Close closes the connection.
func (l *Link) Close() error { return l.conn.Close() }

// Greet sends the wishes.
func (l *Link) Greet(wishes Wishes) error {
	body := make([]byte, 6)
	if wishes.Confirm {
		body[0] = 1
	}
	if wishes.Acks {
		body[1] = 1
	}
	binary.LittleEndian.PutUint32(body[2:], wishes.Prefetch)
	return l.Send(Hello, body)
}

// Welcome reads the wishes.
func (l *Link) Welcome() (Wishes, error) {
	kind, body, err := l.Read()
	if err != nil {
		return Wishes{}, err
	}
	if kind != Hello || len(body) != 6 {
		return Wishes{}, errors.New("the first frame is no greeting")
	}
	return Wishes{Confirm: body[0] == 1, Acks: body[1] == 1, Prefetch: binary.LittleEndian.Uint32(body[2:])}, nil
}

// SendNumber sends a frame with a number.
func (l *Link) SendNumber(kind byte, number uint32) error {
	var body [4]byte
	binary.LittleEndian.PutUint32(body[:], number)
	return l.Send(kind, body[:])
}

// Listen listens at host:port and gives each connection to serve, in a goroutine of its own.
func Listen(address string, serve func(net.Conn)) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			serve(conn)
		}()
	}
}
