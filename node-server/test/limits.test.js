import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chunk, filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const MAX_REQUEST_BYTES = 500_000
const MAX_DRAIN_BYTES = 8_000_000
const server = await Server.start({ after }, { MAX_REQUEST_BYTES, MAX_DRAIN_BYTES })

test('With a limit of zero no request at all is accepted', async t => {
  const nothing = await Server.start(t, { MAX_REQUEST_BYTES: 0 })
  assert.equal((await RawClient.exchange(nothing.port, upload(form([filePart('')])))).code, 'request_too_large')
})

test('A request that is too large by its Content-Length is refused before its body is sent', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Content-Length': MAX_REQUEST_BYTES + 1 }))
  assert.equal((await client.answer()).code, 'request_too_large')
  client.hangUp()
})

test('A client that reads while it sends gets the answer before it has sent everything', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([head({ 'Transfer-Encoding': 'chunked' }), chunk(form([filePart('x', { field: 'other' })]).subarray(0, 150))]))
  assert.equal((await client.answer()).code, 'unexpected_field')
  await client.send(Buffer.concat([chunk(someBytes(3_000_000)), Buffer.from('0\r\n\r\n')]))
  await client.isClosed()
  assert.equal(client.error, undefined)
  client.hangUp()
})

test('A client that never stops sending is cut off', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Transfer-Encoding': 'chunked' }))
  let sent = 0
  while (!client.closed && !client.error && sent < 10 * MAX_DRAIN_BYTES) {
    await client.send(chunk(someBytes(100_000)))
    sent += 100_000
  }
  assert.ok(sent < 10 * MAX_DRAIN_BYTES, 'the server still reads')
  client.hangUp()
  await server.settles()
})
