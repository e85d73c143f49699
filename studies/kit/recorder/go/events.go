package recorder

import (
	"encoding/json"
	"os"
	"sync"
	"time"
)

// Members are what an event tells beside its name and its time.
type Members map[string]any

// Events writes one JSON object a line; it may be used by several goroutines.
type Events struct {
	mutex sync.Mutex
	file  *os.File
}

// OpenEvents makes the file at path; a file that is there is an error.
func OpenEvents(path string) (*Events, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &Events{file: file}, nil
}

// Tell writes an event with the present time; it ends the process when it cannot.
func (e *Events) Tell(event string, members Members) {
	line := Members{"at_ns": time.Now().UnixNano(), "event": event}
	for name, value := range members {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err == nil {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		_, err = e.file.Write(append(text, '\n'))
	}
	if err != nil {
		EndWith("An event could not be written: %v.", err)
	}
}

// Started tells which process this is, and on which versions.
func (e *Events) Started(versions Members) {
	e.Tell("started", Members{"pid": os.Getpid(), "versions": versions})
}
