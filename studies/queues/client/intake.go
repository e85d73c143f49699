package main

import (
	"bytes"
	"sync/atomic"

	"uploadlab/queues/messages"
	"uploadlab/recorder"
)

// intake holds what comes in a round to what should.
type intake struct {
	op         uint16
	verifies   bool
	rows       *recorder.Recorder // nil where nothing is recorded
	stampEvery uint32
	format     messages.Format
	arrivals   messages.Arrivals
	received   atomic.Uint64
	wrong      uint64
	bytes      uint64
}

func newIntake(op uint16, s *settings) *intake {
	return &intake{op: op, stampEvery: s.stampEvery, format: s.format()}
}

// take takes a message in that came at a time.
func (in *intake) take(body []byte, nowNs int64) {
	seq, status := in.check(body)
	if in.rows != nil && seq%in.stampEvery == 0 {
		in.rows.At(nowNs, recorder.Seen{
			Kind: recorder.Received, Status: status, Op: in.op, Seq: seq, Bytes: uint32(len(body)),
		})
	}
	in.bytes += uint64(len(body))
	if status != recorder.Good {
		in.wrong++
	}
	in.received.Add(1) // last: who waits for it reads the others
}

func (in *intake) check(body []byte) (uint32, recorder.Status) {
	if in.verifies {
		seq := uint32(in.received.Load())
		expected := in.format.Verify(int(seq))
		if expected == nil || !bytes.Equal(expected, body) {
			return seq, recorder.WrongBytes
		}
		in.arrivals.Note(seq)
		return seq, recorder.Good
	}
	seq, status := in.format.Check(in.op, body)
	if status == recorder.Good && !in.arrivals.Note(seq) {
		status = recorder.WrongBytes
	}
	return seq, status
}
