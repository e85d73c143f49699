import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ConfigError, readConfig } from '../src/config.js'
import { START, Server, temporaryFolder } from './support/server.js'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const folder = fileURLToPath(new URL('..', import.meta.url))

test('The process started is the server, and runs under the pinned Node.js as the tests do, whatever the machine has', async t => {
  const pinned = manifest.optionalDependencies[`node-linux-${process.arch}`]
  assert.equal(process.version, `v${pinned}`)
  const server = await Server.start(t, { PATH: '/usr/bin:/bin' })
  assert.equal(readlinkSync(`/proc/${server.pid}/exe`), realpathSync(join(folder, `node_modules/node-linux-${process.arch}/bin/node`)))
  assert.match(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8'), /^[^\0]*bin\/node\0/)
})

test('The versions printed are those installed and those pinned', () => {
  const { stdout, status } = spawnSync(join(folder, 'bin/versions'), { encoding: 'utf8' })
  assert.equal(status, 0)
  const versions = JSON.parse(stdout)
  assert.deepEqual(Object.keys(versions), ['node', 'express', 'multer', 'busboy', 'uuid'])
  assert.equal(`v${versions.node}`, process.version)
  for (const name of ['express', 'multer', 'uuid']) assert.equal(versions[name], manifest.dependencies[name])
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  assert.equal(versions.busboy, lock.packages['node_modules/busboy'].version)
})

/** @type {[string, string, string][]} */
const wrongValues = [
  ['PORT', '65536', 'a whole number from 0 to 65535'],
  ['MAX_FILE_BYTES', '-1', 'a whole number'],
  ['MAX_FILE_BYTES', '1e3', 'a whole number'],
  ['MAX_FILE_BYTES', '', 'a whole number'],
  ['MAX_REQUEST_BYTES', '1.5', 'a whole number'],
  ['MAX_DRAIN_BYTES', '200M', 'a whole number'],
  ['IDLE_TIMEOUT_MS', '0', 'a whole number from 1'],
  ['STOP_GRACE_MS', '0', 'a whole number from 1'],
  ['KEEP_ALIVE_TIMEOUT_MS', 'x', 'a whole number'],
  ['KEEP_ALIVE_REQUESTS', 'x', 'a whole number'],
  ['BACKLOG', '0', 'a whole number from 1'],
  ['UV_THREADPOOL_SIZE', '0', 'a whole number from 1']
]
for (const [name, value, expected] of wrongValues) {
  test(`A value that cannot be used is named with what was expected: ${name}=${value}`, () => {
    assert.throws(() => readConfig({ UPLOAD_DIR: '/', [name]: value }), error => {
      assert.ok(error instanceof ConfigError)
      assert.ok(error.message.startsWith(`${name} is ${JSON.stringify(value)}; expected ${expected}`), error.message)
      return true
    })
  })
}

/** @type {[Record<string, string>, string][]} */
const badSettings = [
  [{ PORT: 'http' }, 'PORT is "http"; expected a whole number from 0 to 65535'],
  [{ SINGLE_THREADED_GC: '1' }, 'SINGLE_THREADED_GC is "1"; expected true or false'],
  [{ UPLOAD_DIR: '' }, 'UPLOAD_DIR is not set; expected a folder that exists and can be written'],
  [{ UPLOAD_DIR: '/nowhere' }, 'UPLOAD_DIR is "/nowhere"; expected a folder that exists and can be written'],
  [{ UPLOAD_DIR: START }, `UPLOAD_DIR is "${START}"; expected a folder that exists and can be written`],
  [{ HOST: 'no.such.host.invalid' }, 'cannot listen on no.such.host.invalid:0'],
  [{ RUNTIME_METRICS_FILE: '/nowhere/metrics' }, 'RUNTIME_METRICS_FILE is "/nowhere/metrics"; expected a file that can be appended to']
]
for (const [settings, sentence] of badSettings) {
  test(`A bad setting stops the start with one sentence: ${JSON.stringify(settings)}`, t => {
    refusesToStart(t, settings, sentence)
  })
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} settings
 * @param {string} sentence how the one sentence begins
 */
function refusesToStart (t, settings, sentence) {
  const env = { PATH: process.env.PATH, PORT: '0', UPLOAD_DIR: temporaryFolder(t), ...settings }
  const { status, stdout, stderr } = spawnSync(START, { env, encoding: 'utf8', timeout: 10_000 })
  assert.equal(status, 2)
  assert.equal(stdout, '')
  assert.equal(stderr.split('\n').length, 2, stderr)
  assert.ok(stderr.startsWith(`node-server: ${sentence}`), stderr)
}

test('A port in use stops the start with one sentence', async t => {
  const { port } = await Server.start(t)
  refusesToStart(t, { PORT: String(port) }, `cannot listen on 127.0.0.1:${port}: listen EADDRINUSE`)
})

test('The backlog reaches the kernel', async t => {
  const server = await Server.start(t, { BACKLOG: 77 })
  const { stdout } = spawnSync('ss', ['-Hltn', `sport = :${server.port}`], { encoding: 'utf8' })
  if (!stdout) return t.skip('no ss here')
  assert.match(stdout, /^LISTEN\s+0\s+77\s/)
})

test('The pool of libuv has the threads it was given', async t => {
  const body = new FormData()
  body.append('avatar', new Blob(['one']), 'one.jpg')
  const threads = async (/** @type {number} */ size) => {
    const server = await Server.start(t, { UV_THREADPOOL_SIZE: size })
    await fetch(`${server.url}/getimages`, { method: 'POST', body })
    return Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])
  }
  assert.equal(await threads(9) - await threads(2), 7)
})

test('V8 collects garbage without threads beside the main one where it is told to', async t => {
  const options = async (/** @type {string} */ alone) => {
    const server = await Server.start(t, { SINGLE_THREADED_GC: alone })
    return readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0').filter(word => word.startsWith('--'))
  }
  assert.deepEqual(await options('true'), ['--single-threaded-gc'])
  assert.deepEqual(await options('false'), [])
})

test('An idle connection is kept for a minute, however short the patience within a request', async t => {
  assert.equal(readConfig({ UPLOAD_DIR: '/', IDLE_TIMEOUT_MS: '700' }).keepAliveTimeoutMs, 60_000)
  const server = await Server.start(t, { IDLE_TIMEOUT_MS: '700' }) // the start script has no other default
  const response = await fetch(`http://127.0.0.1:${server.port}/health`)
  assert.equal(response.headers.get('keep-alive'), 'timeout=60')
})
