import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const IDLE_TIMEOUT_MS = 400
const GIVES_UP_WITHIN_MS = 4 * IDLE_TIMEOUT_MS + 1000
const server = await Server.start({ after }, { IDLE_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS: IDLE_TIMEOUT_MS, MIN_BODY_BYTES_PER_S: 1000 })
beforeEach(() => server.empty())

const whole = upload(form([filePart(someBytes(300_000))]))

test('A client that stalls in the body is told so, and nothing of its upload is left', async () => {
  const client = new RawClient(server.port)
  await client.send(whole.subarray(0, 200_000))
  const answer = await client.answer({ timeoutMs: GIVES_UP_WITHIN_MS })
  assert.deepEqual([answer.status, answer.code, answer.headers.connection], [408, 'request_timeout', 'close'])
  await client.isClosed()
  await server.settles()
})

for (const [where, bytes] of /** @type {[string, Buffer][]} */ ([['silent after connecting', Buffer.alloc(0)], ['stalled in the head', whole.subarray(0, 60)]])) {
  test(`A client that is ${where} is cut off`, async () => {
    const client = new RawClient(server.port)
    await client.send(bytes)
    await client.isClosed(GIVES_UP_WITHIN_MS)
  })
}

test('A client that stalls while the rest of a refused request is read away is cut off', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([head({ 'Content-Length': 1_000_000, 'Content-Type': 'text/plain' }), someBytes(10_000)]))
  assert.equal((await client.answer()).status, 415)
  await client.isClosed(GIVES_UP_WITHIN_MS)
})

for (const [what, request, answered] of /** @type {[string, Buffer, number][]} */ ([
  ['an upload', Buffer.concat([whole.subarray(0, 300)]), 408],
  ['a refused request', head({ 'Content-Length': 1_000_000, 'Content-Type': 'text/plain' }), 415]
])) {
  test(`A body that comes byte by byte is cut: ${what}`, async () => {
    const client = new RawClient(server.port)
    await client.send(request)
    const drip = setInterval(() => { if (!client.closed) client.socket.write('x') }, IDLE_TIMEOUT_MS / 4)
    try {
      assert.equal((await client.answer({ timeoutMs: 10_000 })).status, answered)
      await client.isClosed(10_000)
      await server.settles()
    } finally {
      clearInterval(drip)
      client.hangUp()
    }
  })
}

test('A slow but steady client may take many times the idle timeout', async () => {
  const client = new RawClient(server.port)
  const step = Math.ceil(whole.length / 20)
  for (let i = 0; i < whole.length; i += step) {
    await client.send(whole.subarray(i, i + step))
    await pause(IDLE_TIMEOUT_MS / 3)
  }
  assert.equal((await client.answer()).status, 200)
  assert.equal(server.stored.length, 1)
  client.hangUp()
})

test('An idle kept-alive connection is closed without an answer', async () => {
  const client = new RawClient(server.port)
  await client.send(upload(form([filePart('x')])))
  assert.equal((await client.answer()).headers.connection, 'keep-alive')
  await client.isClosed(GIVES_UP_WITHIN_MS)
  assert.equal(client.received, '')
})

test('Slow heads hold up nobody else', async () => {
  const slow = Array.from({ length: 200 }, () => new RawClient(server.port))
  const drip = setInterval(() => { for (const client of slow) if (!client.closed) client.socket.write('P') }, 50)
  try {
    for (let i = 0; i < 20; i++) assert.equal((await RawClient.exchange(server.port, whole)).status, 200)
  } finally {
    clearInterval(drip)
    for (const client of slow) client.hangUp()
  }
})
