'use strict'
// Loaded before the server by NODE_OPTIONS: profiles its main thread with V8's own profiler and keeps the profile when
// it ends. `--cpu-prof` is not taken from NODE_OPTIONS, and keeps nothing of a process that ends by a signal.
const { writeFileSync } = require('node:fs')
const { Session } = require('node:inspector')
const { join } = require('node:path')
const { isMainThread } = require('node:worker_threads')

const INTERVAL_US = 1000

if (isMainThread && process.env.EXPLAIN_FOLDER) {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  session.post('Profiler.start')

  let kept = false
  const keep = () => {
    if (kept) return
    kept = true
    session.post('Profiler.stop', (error, { profile }) => {
      if (error) return
      writeFileSync(join(process.env.EXPLAIN_FOLDER, `node-${process.pid}.cpuprofile`), JSON.stringify(profile))
    })
  }
  process.on('exit', keep)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP']) {
    const ended = () => {
      if (process.listenerCount(signal) > 1) return // the server ends itself, in order, and is profiled until then
      keep()
      process.removeListener(signal, ended)
      process.kill(process.pid, signal)
    }
    process.on(signal, ended)
  }
}
