// The named settings reach what they name; what cannot be used is refused in one sentence.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { START, post, startServer, temporaryFolder, until } from './support/server.js'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const SMALL = Buffer.from('four')

test('The versions printed are those that are pinned', () => {
  const versions = JSON.parse(spawnSync(fileURLToPath(new URL('../bin/versions', import.meta.url)), { encoding: 'utf8' }).stdout)
  const { busboy, ...pinned } = versions
  assert.match(busboy, /^\d/)
  assert.deepEqual(pinned, { node: manifest.optionalDependencies[`node-linux-${process.arch}`], ...manifest.dependencies })
})

test('Keep-alive is as long and for as many requests as it is set', async t => {
  const keepAlive = async env => {
    const { url } = await startServer(t, env)
    return (await fetch(`${url}/health`)).headers.get('keep-alive')
  }
  assert.equal(await keepAlive({}), 'timeout=60')
  assert.equal(await keepAlive({ KEEP_ALIVE_TIMEOUT_MS: '7000', KEEP_ALIVE_REQUESTS: '9' }), 'timeout=7, max=9')
})

test('The page is the same from memory and from its file, which alone says when it was last changed', async t => {
  const page = async env => {
    const { url } = await startServer(t, env)
    const response = await post(url, [['avatar', SMALL]])
    return { text: await response.text(), changed: response.headers.has('last-modified') }
  }
  const memory = await page({})
  const file = await page({ PAGE_IN: 'file' })
  assert.equal(file.text, memory.text)
  assert.deepEqual([memory.changed, file.changed], [false, true])
})

test('The backlog reaches the kernel', async t => {
  const { port } = await startServer(t, { BACKLOG: '77' })
  const { stdout } = spawnSync('ss', ['-Hltn', `sport = :${port}`], { encoding: 'utf8' })
  if (!stdout) return t.skip('no ss here')
  assert.match(stdout, /^LISTEN\s+0\s+77\s/)
})

test('The pool of libuv has the threads it was given, and garbage is collected on one thread where that is set', async t => {
  const started = async env => {
    const { child, url } = await startServer(t, env)
    await post(url, [['avatar', SMALL]])
    const threads = Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1])
    return { threads, options: readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0') }
  }
  const few = await started({ UV_THREADPOOL_SIZE: '2' })
  const many = await started({ UV_THREADPOOL_SIZE: '9' })
  assert.equal(many.threads - few.threads, 7)
  assert.ok(!few.options.includes('--single-threaded-gc'))
  assert.ok((await started({ SINGLE_THREADED_GC: 'true' })).options.includes('--single-threaded-gc'))
})

test('Event-loop delay and garbage collection are appended once a second', async t => {
  const file = join(temporaryFolder(t), 'metrics.jsonl')
  const { child } = await startServer(t, { RUNTIME_METRICS_FILE: file })
  const lines = () => existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  await until(() => lines().length >= 2)
  assert.match(lines()[0], /^\{"epoch_ns":\d{19},"loop_delay_mean_ms":[\d.]+,"loop_delay_p99_ms":[\d.]+,"loop_delay_max_ms":[\d.]+,"gc_count":\d+,"gc_ms":[\d.]+\}$/)
  child.kill('SIGSTOP')
  await new Promise(resolve => setTimeout(resolve, 600))
  child.kill('SIGCONT')
  await until(() => lines().some(line => JSON.parse(line).loop_delay_max_ms > 400))
})

for (const [env, sentence] of [
  [{ MAX_FILE_BYTES: '-1' }, 'MAX_FILE_BYTES is "-1"; expected a whole number'],
  [{ PAGE_IN: 'disk' }, 'PAGE_IN is "disk"; expected memory or file'],
  [{ UPLOAD_DIR: '' }, 'UPLOAD_DIR is not set; expected a folder'],
  [{ HOST: 'no.such.host.invalid' }, 'getaddrinfo']
]) {
  test(`What cannot be used stops the start with one sentence: ${JSON.stringify(env)}`, t => {
    const given = { PATH: process.env.PATH, PORT: '0', UPLOAD_DIR: temporaryFolder(t), ...env }
    const { status, stderr } = spawnSync(START, { env: given, encoding: 'utf8', timeout: 30_000 })
    assert.equal(status, 2)
    assert.ok(stderr.startsWith(`node-server: ${sentence}`) && stderr.trim().split('\n').length === 1, stderr)
  })
}
