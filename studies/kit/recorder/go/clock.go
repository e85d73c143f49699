package recorder

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const (
	clockMonotonic  = 1
	timerAbsolute   = 1
	prSetTimerslack = 29
)

// Go reads CLOCK_MONOTONIC, but only tells differences; these two tie its times to the kernel's.
var (
	anchor   time.Time
	anchorNs int64
)

func init() { anchor, anchorNs = tie() }

// tie returns a time and what CLOCK_MONOTONIC was then, the best of many pairs.
func tie() (time.Time, int64) {
	var best time.Time
	var bestNs int64
	least := time.Hour
	for i := 0; i < 200; i++ {
		before := time.Now()
		ns := monotonicNs()
		apart := time.Since(before)
		if apart < least {
			least, best, bestNs = apart, before.Add(apart/2), ns
		}
	}
	return best, bestNs
}

func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// NowNs is CLOCK_MONOTONIC.
func NowNs() int64 { return anchorNs + int64(time.Since(anchor)) }

// SleepUntil returns at a time of CLOCK_MONOTONIC, or a few microseconds after it; Go's own timers may be a millisecond
// late. The calling goroutine keeps its thread (see Punctual).
func SleepUntil(timeNs int64) {
	when := syscall.NsecToTimespec(timeNs)
	for timeNs > NowNs() {
		syscall.Syscall6(syscall.SYS_CLOCK_NANOSLEEP, clockMonotonic, timerAbsolute, uintptr(unsafe.Pointer(&when)), 0, 0, 0)
	}
}

// Punctual gives the calling goroutine a thread of its own that the kernel wakes without slack, until it calls what is
// returned.
func Punctual() func() {
	runtime.LockOSThread()
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, 1, 0)
	return func() {
		syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, 0, 0)
		runtime.UnlockOSThread()
	}
}
