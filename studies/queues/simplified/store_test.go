package main

import (
	"runtime"
	"strconv"
	"testing"
	"time"
)

func stores(t *testing.T, names ...string) map[string]store {
	t.Helper()
	made := map[string]store{}
	for _, name := range names {
		one, err := newStore(name)
		if err != nil {
			t.Fatal(err)
		}
		made[name] = one
	}
	return made
}

// Runs with -race: the producer and the consumer are two goroutines, one far ahead of the other in turns.
func TestMessagesOfOneProducerReachOneConsumerInOrder(t *testing.T) {
	const messages = 50_000
	for name, queue := range stores(t, "mutex_slice", "mutex_ring", "lock_free_ring") {
		go func(queue store) {
			for i := 0; i < messages; i++ {
				queue.push(strconv.Itoa(i))
				if i%20_000 == 0 {
					time.Sleep(5 * time.Millisecond)
				}
			}
		}(queue)
		for i := 0; i < messages; {
			message, found := queue.pull()
			if !found {
				runtime.Gosched()
				continue
			}
			if message != strconv.Itoa(i) {
				t.Fatalf("%s: message %s came where %d was due", name, message, i)
			}
			i++
		}
		if _, found := queue.pull(); found || queue.depth() != 0 {
			t.Errorf("%s: something is left, or counted as left", name)
		}
	}
}

// In growing, too, the order is kept: with some taken before, the ring is not full from its first place on.
func TestARingThatGrowsKeepsTheOrder(t *testing.T) {
	for name, queue := range stores(t, "mutex_ring", "lock_free_ring") {
		put, taken := 0, 0
		take := func() {
			if message, _ := queue.pull(); message != strconv.Itoa(taken) {
				t.Fatalf("%s: message %s came where %d was due", name, message, taken)
			}
			taken++
		}
		for ; put < 10_000; put++ {
			queue.push(strconv.Itoa(put))
			if put%3 == 0 {
				take()
			}
		}
		if queue.depth() != put-taken {
			t.Errorf("%s: a depth of %d, not %d", name, queue.depth(), put-taken)
		}
		for taken < put {
			take()
		}
	}
}

// What the two rings are compared for is the mutex alone: neither may leave garbage.
func TestRingsUseTheirPlacesAgain(t *testing.T) {
	for name, queue := range stores(t, "mutex_ring", "lock_free_ring") {
		each := testing.AllocsPerRun(100, func() {
			for i := 0; i < 3000; i++ {
				queue.push("message")
				queue.pull()
			}
		})
		if each > 0 {
			t.Errorf("%s: %g allocations for 3,000 messages", name, each)
		}
	}
}
