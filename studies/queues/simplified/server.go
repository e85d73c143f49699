// The paper's simplified queue: one FIFO in memory, over TCP, in lines of text, which carry digits, or in frames.
package main

import (
	"fmt"
	"log"
	"net"

	"uploadlab/queues/frames"
	"uploadlab/recorder"
)

// server is one queue.
type server struct {
	store store
	wake  chan struct{} // holds one when a message came that a consumer may be waiting for
	alone bool          // each message that is pushed to a consumer is sent by itself

	returned returned
}

// returned are messages that went out and were never acknowledged; they go out again before all others.
type returned struct{ mutexSlice }

func (r *returned) give(messages []string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.messages = append(messages, r.messages...)
}

func (s *server) push(message string) {
	s.store.push(message)
	s.notify()
}

func (s *server) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func main() {
	recorder.AnswerVersions()
	store, err := newStore(recorder.TextOr("STORE", "mutex_slice"))
	if err != nil {
		recorder.EndWith("%v.", err)
	}
	address := net.JoinHostPort(recorder.Text("HOST"), recorder.Text("PORT"))
	alone := recorder.OneOf("FLUSH", "together", "each") == "each"
	server := &server{store: store, wake: make(chan struct{}, 1), alone: alone}
	serve := server.serveFrames
	if recorder.OneOf("PAYLOAD", "bytes", "digits") == "digits" {
		serve = server.serveText
	}
	log.SetFlags(log.LUTC | log.Lmicroseconds)
	log.Printf("a queue in a %s at %s", fmt.Sprintf("%T", store)[len("*main."):], address)
	recorder.EndWith("The queue ends: %v.", frames.Listen(address, serve))
}
