import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filePart, form, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server, temporaryFolder } from './support/server.js'
import { slow } from './support/slow.js'
import { until } from './support/until.js'

test('Event-loop delay and garbage collection are appended once a second', slow, async t => {
  const file = join(temporaryFolder(t), 'metrics.jsonl')
  const before = BigInt(Date.now()) * 1_000_000n
  const server = await Server.start(t, { RUNTIME_METRICS_FILE: file })
  const lines = () => existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  const request = upload(form([filePart(someBytes(1_000_000))]))
  while (lines().length < 3) await RawClient.exchange(server.port, request)
  await until(() => lines().length >= 5)

  const times = lines().map(line => BigInt(/** @type {RegExpExecArray} */ (/^\{"epoch_ns":(\d{19}),/.exec(line))[1]))
  assert.ok(times[0] > before)
  const gapsMs = times.slice(1).map((time, i) => Number(time - times[i]) / 1e6)
  assert.ok(gapsMs.every(gap => gap > 500), String(gapsMs))
  const metrics = lines().map(line => JSON.parse(line))
  assert.ok(metrics.some(({ gc_count: count, gc_ms: ms }) => count > 0 && ms > 0))
  for (const { loop_delay_mean_ms: mean, loop_delay_p99_ms: p99, loop_delay_max_ms: max } of metrics) {
    assert.ok(mean >= 0 && mean <= max && p99 <= max)
  }
})

test('A blocked event loop shows as its delay', slow, async t => {
  const file = join(temporaryFolder(t), 'metrics.jsonl')
  const server = await Server.start(t, { RUNTIME_METRICS_FILE: file })
  await until(() => readFileSync(file, 'utf8').includes('\n'))
  server.child.kill('SIGSTOP')
  await new Promise(resolve => setTimeout(resolve, 600))
  server.child.kill('SIGCONT')
  const longest = () => Math.max(...readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line).loop_delay_max_ms))
  await until(() => longest() > 400)
})
