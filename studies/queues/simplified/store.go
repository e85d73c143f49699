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

// newStore gives the paper's store, or one that differs from it in one thing.
func newStore(name string) (store, error) {
	switch name {
	case "mutex_slice":
		return &mutexSlice{}, nil
	case "mutex_ring":
		return &mutexRing{messages: make([]string, 1024)}, nil
	case "lock_free":
		return newLockFree(), nil
	}
	return nil, fmt.Errorf("STORE=%s: expected mutex_slice, mutex_ring or lock_free", name)
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

// lockFree differs from the paper's in the mutex: a linked list for one producer and one consumer.
type lockFree struct {
	head  *node // the consumer's
	tail  *node // the producer's
	count atomic.Int64
}

type node struct {
	message string
	next    atomic.Pointer[node]
}

func newLockFree() *lockFree {
	empty := &node{}
	return &lockFree{head: empty, tail: empty}
}

func (l *lockFree) push(message string) {
	added := &node{message: message}
	l.tail.next.Store(added)
	l.tail = added
	l.count.Add(1)
}

func (l *lockFree) pull() (string, bool) {
	first := l.head.next.Load()
	if first == nil {
		return "", false
	}
	message := first.message
	first.message = ""
	l.head = first
	l.count.Add(-1)
	return message, true
}

func (l *lockFree) depth() int { return int(l.count.Load()) }
