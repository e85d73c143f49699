import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { chunk, chunkedUpload, filePart, form, head, part, someBytes, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const MAX_FILE_BYTES = 300_000
const MAX_REQUEST_BYTES = 500_000
const MAX_DRAIN_BYTES = 8_000_000
const server = await Server.start({ after }, { MAX_FILE_BYTES, MAX_REQUEST_BYTES, MAX_DRAIN_BYTES })
beforeEach(() => server.empty())

/** @type {[string, (body: Buffer) => Buffer][]} */
const lengths = [['with Content-Length', upload], ['without', body => chunkedUpload(body, 60_000)]]

for (const [name, request] of lengths) {
  for (const [excess, status, code] of /** @type {[number, number, string?][]} */ ([[-1, 200], [0, 200], [1, 413, 'file_too_large']])) {
    test(`A file of the limit ${excess >= 0 ? '+' : '-'} ${Math.abs(excess)} bytes, ${name}: ${status}`, async () => {
      const answer = await RawClient.exchange(server.port, request(form([filePart(someBytes(MAX_FILE_BYTES + excess))])))
      assert.deepEqual([answer.status, answer.code], [status, code])
      await server.settles(status === 200 ? 1 : 0)
    })

    const requestCode = code && 'request_too_large'
    test(`A request of the limit ${excess >= 0 ? '+' : '-'} ${Math.abs(excess)} bytes, ${name}: ${status}`, async () => {
      const body = form([filePart(someBytes(250_000)), filePart(someBytes(200_000))])
      const epilogue = Buffer.alloc(MAX_REQUEST_BYTES + excess - body.length, 'e')
      const answer = await RawClient.exchange(server.port, request(Buffer.concat([body, epilogue])))
      assert.deepEqual([answer.status, answer.code], [status, requestCode])
      await server.settles(status === 200 ? 2 : 0)
    })
  }

  test(`A second file over the limit takes the first one with it, ${name}`, async () => {
    const body = form([filePart(someBytes(1000)), filePart(someBytes(MAX_FILE_BYTES + 1))])
    const answer = await RawClient.exchange(server.port, request(body))
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [413, 'file_too_large', 'close'])
    await server.settles()
  })
}

test('A third file is one too many', async () => {
  const answer = await RawClient.exchange(server.port, upload(form([filePart('a'), filePart('b'), filePart('c')])))
  assert.deepEqual([answer.status, answer.code], [400, 'too_many_files'])
  await server.settles()
})

test('A file in another field is unexpected, first or last', async () => {
  const other = filePart('x', { field: 'other' })
  for (const parts of [[other, filePart('a')], [filePart('a'), filePart('b'), other]]) {
    const answer = await RawClient.exchange(server.port, upload(form(parts)))
    assert.deepEqual([answer.status, answer.code], [400, 'unexpected_field'])
  }
  await server.settles()
})

test('100 parts are accepted, 101 are too many', async () => {
  const texts = Array.from({ length: 98 }, (_, i) => textPart(`t${i}`, 'x'))
  const ignored = part('; name="avatar"; filename=""', '')
  assert.equal((await RawClient.exchange(server.port, upload(form([...texts, ignored, filePart('x')])))).status, 200)
  const answer = await RawClient.exchange(server.port, upload(form([...texts, ignored, filePart('x'), textPart('last', 'x')])))
  assert.deepEqual([answer.status, answer.code], [413, 'too_many_parts'])
  await server.settles(1)
})

test('A text field of 65,536 bytes is accepted, one byte more is too large', async () => {
  const request = (/** @type {number} */ bytes) => upload(form([textPart('t', 'x'.repeat(bytes)), filePart('x')]))
  assert.equal((await RawClient.exchange(server.port, request(65_536))).status, 200)
  const answer = await RawClient.refusal(server.port, request(65_537))
  assert.deepEqual([answer.status, answer.code], [413, 'field_too_large'])
  await server.settles(1)
})

test('With limits of zero only empty files, and no request at all, are accepted', async t => {
  const noFiles = await Server.start(t, { MAX_FILE_BYTES: 0 })
  assert.equal((await RawClient.exchange(noFiles.port, upload(form([filePart('')])))).status, 200)
  assert.equal((await RawClient.exchange(noFiles.port, upload(form([filePart('x')])))).code, 'file_too_large')
  const nothing = await Server.start(t, { MAX_REQUEST_BYTES: 0 })
  assert.equal((await RawClient.exchange(nothing.port, upload(form([filePart('')])))).code, 'request_too_large')
})

test('A request that is too large by its Content-Length is refused before its body is sent', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Content-Length': MAX_REQUEST_BYTES + 1 }))
  assert.equal((await client.answer()).code, 'request_too_large')
  client.hangUp()
})

/** @type {Record<string, () => (Buffer | string)[]>} */
const tooMuch = {
  'a request over the limit by its Content-Length': () => [head({ 'Content-Length': 6_000_000 }), someBytes(6_000_000)],
  'chunks over the limit': () => [head({ 'Transfer-Encoding': 'chunked' }), ...Array.from({ length: 60 }, () => chunk(someBytes(100_000))), '0\r\n\r\n'],
  'a file over the limit': () => [upload(form([filePart(someBytes(MAX_FILE_BYTES + 1)), filePart(someBytes(MAX_REQUEST_BYTES - MAX_FILE_BYTES - 1000))]))],
  'a body for a path that is not there': () => [head({ 'Content-Length': 6_000_000 }, 'POST /nothing HTTP/1.1'), someBytes(6_000_000)]
}
for (const [name, pieces] of Object.entries(tooMuch)) {
  test(`A client that only reads after sending gets the answer and an orderly end: ${name}`, async () => {
    const client = new RawClient(server.port)
    client.socket.pause()
    for (const piece of pieces()) await client.send(piece)
    client.socket.resume()
    assert.ok((await client.answer()).code)
    await client.isClosed()
    assert.equal(client.error, undefined)
    client.hangUp()
    await server.settles()
  })
}

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
