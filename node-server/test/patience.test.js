import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
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

test('A client that stalls while the rest of a refused request is read away is cut off', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([head({ 'Content-Length': 1_000_000, 'Content-Type': 'text/plain' }), someBytes(10_000)]))
  assert.equal((await client.answer()).status, 415)
  await client.isClosed(GIVES_UP_WITHIN_MS)
})
