// Loaded beside the server (node --import): appends one line of JSON a second to RUNTIME_METRICS_FILE, event-loop delay
// and garbage collection of that second.
import { openSync, writeSync } from 'node:fs'
import { PerformanceObserver, monitorEventLoopDelay } from 'node:perf_hooks'

const PERIOD_MS = 1000

/** The event loop is looked at this often; what it is late beyond that is the delay. */
const RESOLUTION_MS = 10

const file = openSync(process.env.RUNTIME_METRICS_FILE, 'a')
let gc = { gc_count: 0, gc_ms: 0 }
new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) {
    gc.gc_count++
    gc.gc_ms += duration
  }
}).observe({ entryTypes: ['gc'] })

let delay = startMonitor()
setInterval(() => {
  const ended = delay
  delay = startMonitor()
  // A monitor sees a delay when it is over, so the old one stays on for one more look: nothing falls between two.
  setTimeout(() => {
    ended.disable()
    // A JavaScript number cannot hold nanoseconds since 1970 exactly, so their digits are written as text.
    const metrics = JSON.stringify({ ...delayOf(ended), ...gc })
    writeSync(file, `{"epoch_ns":${Date.now()}000000,${metrics.slice(1)}\n`)
    gc = { gc_count: 0, gc_ms: 0 }
  }, RESOLUTION_MS).unref()
}, PERIOD_MS).unref()

function startMonitor () {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  monitor.enable()
  return monitor
}

function delayOf (monitor) {
  const lateMs = ns => Number.isFinite(ns) ? Math.max(0, ns / 1e6 - RESOLUTION_MS) : 0
  return {
    loop_delay_mean_ms: lateMs(monitor.mean),
    loop_delay_p99_ms: lateMs(monitor.percentile(99)),
    loop_delay_max_ms: lateMs(monitor.max)
  }
}
