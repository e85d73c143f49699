// Producer or consumer of the queues study, by its environment, for every broker: what differs is the transport.
package main

import (
	"os"
	"runtime"
	"time"

	"uploadlab/recorder"
)

// part is a producer or a consumer.
type part interface {
	recorder.Phases
	stop()
}

// leastThreads keeps the goroutine that reads confirms going while the one that sends sleeps until a message is due.
const leastThreads = 4

// othersFirst is how long a part goes on when a connection failed: the part at its other end may have ended before, and
// the lab names the first that it finds.
const othersFirst = time.Second

// every does something again and again until over is closed.
func every(period time.Duration, over <-chan struct{}, do func()) {
	ticks := time.NewTicker(period)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			do()
		case <-over:
			return
		}
	}
}

func start(s settings, events *recorder.Events, rows *recorder.Recorder) (part, error) {
	if s.produces {
		return startProducer(s, events, rows)
	}
	return startConsumer(s, events, rows)
}

func main() {
	recorder.AnswerVersions()
	s := readSettings()
	if len(os.Args) > 1 {
		if err := promise(s, os.Args[1:]); err != nil {
			recorder.EndWithError(err)
		}
		return
	}
	s.readFiles()
	if runtime.GOMAXPROCS(0) < leastThreads {
		runtime.GOMAXPROCS(leastThreads)
	}
	rows, err := recorder.Open(s.recordsFile, s.recordsCapacity)
	if err != nil {
		recorder.EndWithError(err)
	}
	events, err := recorder.OpenEvents(s.eventsFile)
	if err != nil {
		recorder.EndWithError(err)
	}
	events.Started(recorder.Members{"go": runtime.Version()})
	client, err := start(s, events, rows)
	if err != nil {
		recorder.EndWithError(err)
	}
	recorder.Say("ready")
	if err := recorder.Obey(client); err != nil {
		time.Sleep(othersFirst)
		recorder.EndWithError(err)
	}
	client.stop()
	lost := rows.Lost()
	if err := rows.Close(); err != nil {
		recorder.EndWith("%s: cannot be finished: %v.", s.recordsFile, err)
	}
	events.Tell("ended", recorder.Members{"lost_records": lost})
}
