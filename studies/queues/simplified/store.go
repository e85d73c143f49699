package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// store keeps the messages that wait, first in, first out.
type store interface {
	push(message string)
	pull() (string, bool)
	depth() int
}

// newStore gives the paper's store, one without its garbage, or one without its garbage and its mutex.
func newStore(name string) (store, error) {
	switch name {
	case "mutex_slice":
		return &mutexSlice{}, nil
	case "mutex_ring":
		return &mutexRing{messages: make([]string, 1024)}, nil
	case "lock_free_ring":
		return newLockFreeRing(), nil
	}
	return nil, fmt.Errorf("STORE=%s: expected mutex_slice, mutex_ring or lock_free_ring", name)
}

// mutexSlice is the paper's: a slice under a mutex; taking the first message leaves its place to the garbage collector.
type mutexSlice struct {
	mutex    sync.Mutex
	messages []string
}

func (s *mutexSlice) push(message string) {
	s.mutex.Lock()
	s.messages = append(s.messages, message)
	s.mutex.Unlock()
}

func (s *mutexSlice) pull() (string, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.messages) == 0 {
		return "", false
	}
	message := s.messages[0]
	s.messages = s.messages[1:]
	return message, true
}

func (s *mutexSlice) depth() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.messages)
}

// mutexRing differs from the paper's in the slice: places are used again.
type mutexRing struct {
	mutex        sync.Mutex
	messages     []string
	first, count int
}

func (r *mutexRing) push(message string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.count == len(r.messages) {
		larger := make([]string, 2*len(r.messages))
		moved := copy(larger, r.messages[r.first:])
		copy(larger[moved:], r.messages[:r.first])
		r.messages, r.first = larger, 0
	}
	r.messages[(r.first+r.count)%len(r.messages)] = message
	r.count++
}

func (r *mutexRing) pull() (string, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.count == 0 {
		return "", false
	}
	message := r.messages[r.first]
	r.messages[r.first] = ""
	r.first = (r.first + 1) % len(r.messages)
	r.count--
	return message, true
}

func (r *mutexRing) depth() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.count
}

// lockFreeRing differs from mutexRing in the mutex: a ring for one producer and one consumer at a time. It grows where it
// is full, as mutexRing does: the producer goes on in a ring twice as large, and the consumer follows when it has emptied
// the one before.
type lockFreeRing struct {
	from  *ring // the consumer's
	into  *ring // the producer's
	count atomic.Int64
}

type ring struct {
	messages    []string
	first, next atomic.Int64 // taken and put so far; the consumer's and the producer's
	larger      atomic.Pointer[ring]
}

func newLockFreeRing() *lockFreeRing {
	both := &ring{messages: make([]string, 1024)}
	return &lockFreeRing{from: both, into: both}
}

func (l *lockFreeRing) push(message string) {
	r := l.into
	places := int64(len(r.messages))
	if r.next.Load()-r.first.Load() == places {
		larger := &ring{messages: make([]string, 2*places)}
		larger.put(message)
		r.larger.Store(larger)
		l.into = larger
	} else {
		r.put(message)
	}
	l.count.Add(1)
}

func (r *ring) put(message string) {
	next := r.next.Load()
	r.messages[next%int64(len(r.messages))] = message
	r.next.Store(next + 1)
}

func (l *lockFreeRing) pull() (string, bool) {
	larger := l.from.larger.Load() // before the ring is seen empty: after it nothing is put into it
	message, found := l.from.take()
	if !found && larger != nil {
		l.from = larger
		message, found = larger.take()
	}
	if found {
		l.count.Add(-1)
	}
	return message, found
}

func (r *ring) take() (string, bool) {
	first := r.first.Load()
	if first == r.next.Load() {
		return "", false
	}
	place := &r.messages[first%int64(len(r.messages))]
	message := *place
	*place = ""
	r.first.Store(first + 1)
	return message, true
}

func (l *lockFreeRing) depth() int { return int(l.count.Load()) }
