// Package recorder records what a part of a measured system sees: 24-byte rows in a NumPy file on a memory file system.
//
// One clock read and one store a record; no system call, no lock, no allocation. One Recorder a goroutine.
package recorder

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Kind says what happened at the time of a record.
type Kind uint8

// The kinds of records.
const (
	Due      Kind = iota + 1 // when an operation should have begun
	Sent                     // before the sending call
	Accepted                 // the sending call came back, or the system confirmed
	Received                 // the receiving call came back
	Answered                 // the operation is complete
	Replied                  // the answering call came back
	Waiting                  // before the receiving call
)

// Status says how it went.
type Status uint8

// The states that every study has.
const (
	Good Status = iota
	WrongBytes
	WrongLength
	Refused
	TimedOut
)

const (
	headerBytes = 256
	rowBytes    = 24
)

// row is a row as it lies in the file: last holds kind, status and the spare, and is 0 in a row that was never written.
type row struct {
	timeNs int64
	seq    uint32
	bytes  uint32
	stream uint16
	op     uint16
	last   uint32
}

// Seen is what is recorded beside its time.
type Seen struct {
	Kind   Kind
	Status Status
	Stream uint16
	Op     uint16
	Seq    uint32
	Bytes  uint32
}

// Recorder writes rows into a file that is mapped into memory.
type Recorder struct {
	file    *os.File
	mapping []byte
	rows    []row
	count   int
	lost    uint64
}

// header is NumPy's format 1.0: magic, version, length of the rest (246 bytes), a Python dictionary, blanks, a line feed.
func header(rows int) []byte {
	text := fmt.Sprintf("\x93NUMPY\x01\x00\xf6\x00{'descr': [('time_ns', '<i8'), ('seq', '<u4'), ('bytes', '<u4'), "+
		"('stream', '<u2'), ('op', '<u2'), ('kind', '|u1'), ('status', '|u1'), ('spare', '<u2')], "+
		"'fortran_order': False, 'shape': (%d,), }", rows)
	full := make([]byte, headerBytes)
	for i := copy(full, text); i < headerBytes-1; i++ {
		full[i] = ' '
	}
	full[headerBytes-1] = '\n'
	return full
}

// Open makes the file at path with room for capacity rows, all of them touched; a file that is there is an error.
func Open(path string, capacity int) (*Recorder, error) {
	if capacity < 1 {
		return nil, fmt.Errorf("room for %d records: expected at least 1", capacity)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	giveUp := func(err error) (*Recorder, error) {
		file.Close()
		os.Remove(path)
		return nil, fmt.Errorf("%s: room for %d records cannot be made: %w", path, capacity, err)
	}
	size := int64(headerBytes + capacity*rowBytes)
	// Allocated, not sparse: a full memory file system is an error now instead of a signal later.
	if err := syscall.Fallocate(int(file.Fd()), 0, 0, size); err != nil {
		return giveUp(err)
	}
	flags := syscall.MAP_SHARED | syscall.MAP_POPULATE
	mapping, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return giveUp(err)
	}
	copy(mapping, header(capacity))
	rows := unsafe.Slice((*row)(unsafe.Pointer(&mapping[headerBytes])), capacity)
	return &Recorder{file: file, mapping: mapping, rows: rows}, nil
}

// InMemory is a recorder without a file, to measure what recording costs.
func InMemory(capacity int) *Recorder {
	return &Recorder{rows: make([]row, capacity)}
}

// At records something at a time that was read already.
func (r *Recorder) At(timeNs int64, seen Seen) {
	if r.count == len(r.rows) {
		r.lost++
		return
	}
	next := &r.rows[r.count]
	r.count++
	next.timeNs = timeNs
	next.seq = seen.Seq
	next.bytes = seen.Bytes
	next.stream = seen.Stream
	next.op = seen.Op
	// The kind is stored last: a process that is killed in between leaves a row that counts as not written.
	atomic.StoreUint32(&next.last, uint32(seen.Kind)|uint32(seen.Status)<<8)
}

// Now records something now and returns the time.
func (r *Recorder) Now(seen Seen) int64 {
	timeNs := NowNs()
	r.At(timeNs, seen)
	return timeNs
}

// Lost counts the rows that found the file full.
func (r *Recorder) Lost() uint64 { return r.lost }

// Close writes the true number of rows into the header and cuts the file.
func (r *Recorder) Close() error {
	copy(r.mapping, header(r.count))
	if err := syscall.Munmap(r.mapping); err != nil {
		return err
	}
	r.rows = nil
	if err := r.file.Truncate(int64(headerBytes + r.count*rowBytes)); err != nil {
		return err
	}
	return r.file.Close()
}
