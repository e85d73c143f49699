import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { BOUNDARY, chunk, chunkedUpload, filePart, form, head, someBytes, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

test('A body is understood wherever the network splits it', async () => {
  const data = Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n-`)
  const body = form([textPart('a', '\r\n'), filePart(data)], { preamble: 'hello\r\n', epilogue: `\r\n--${BOUNDARY}\r\nbye` })
  const client = new RawClient(server.port)
  for (let split = 1; split < body.length; split++) {
    await client.send(Buffer.concat([head({ 'Transfer-Encoding': 'chunked' }), chunk(body.subarray(0, split))]))
    await new Promise(resolve => setImmediate(resolve))
    await client.send(Buffer.concat([chunk(body.subarray(split)), Buffer.from('0\r\n\r\n')]))
    assert.equal((await client.answer()).status, 200, `split at ${split}`)
  }
  client.hangUp()
  assert.equal(server.stored.length, body.length - 1)
  assert.ok(server.stored.every(file => file.equals(data)))
})

test('A body in chunks of one byte is understood', async () => {
  const data = someBytes(500)
  assert.equal((await RawClient.exchange(server.port, chunkedUpload(form([filePart(data)]), 1))).status, 200)
  assert.deepEqual(server.stored, [data])
})

const nearly = {
  'CR at the end': 'x\r',
  'CRLF at both ends': '\r\nx\r\n',
  'CRLF and dashes': '\r\n--',
  'the boundary less its last byte': `\r\n--${BOUNDARY.slice(0, -1)}!`,
  'the boundary not at the start of a line': `x--${BOUNDARY}`,
  'every byte': Buffer.from(Array.from({ length: 256 }, (_, i) => i))
}
for (const [name, data] of Object.entries(nearly)) {
  test(`Data that nearly is a delimiter is stored: ${name}`, async () => {
    assert.equal((await RawClient.exchange(server.port, upload(form([filePart(data)])))).status, 200)
    assert.deepEqual(server.stored, [Buffer.from(data)])
  })
}

test('What stands before the first and behind the final delimiter is ignored, even when it looks like a part', async () => {
  const ghost = Buffer.concat([Buffer.from(`\r\n--${BOUNDARY}\r\n`), filePart('ghost'), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
  const body = form([filePart('real')], { preamble: 'a preamble\r\n', epilogue: ghost })
  assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
  assert.equal((await RawClient.exchange(server.port, chunkedUpload(body, 7))).status, 200)
  assert.deepEqual(server.stored.map(String), ['real', 'real'])
})

test('The line end behind the final delimiter may be missing', async () => {
  assert.equal((await RawClient.exchange(server.port, upload(form([filePart('x')], { epilogue: '' })))).status, 200)
})

for (const boundary of ['b', 'x'.repeat(70), "a'()+_,-./:=?z", 'two words']) {
  test(`A quoted boundary is understood: ${boundary}`, async () => {
    const request = upload(form([filePart('x')], { boundary }), { 'Content-Type': `Multipart/Form-Data; charset=x; BOUNDARY="${boundary}"` })
    assert.equal((await RawClient.exchange(server.port, request)).status, 200)
    assert.deepEqual(server.stored.map(String), ['x'])
  })
}

test('Of two boundary parameters and of two Content-Type headers the first counts', async () => {
  const parameters = upload(form([filePart('x')]), { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}; boundary=other` })
  assert.equal((await RawClient.exchange(server.port, parameters)).status, 200)
  const headers = upload(form([filePart('x')]), { 'content-type': 'multipart/form-data; boundary=other' })
  assert.equal((await RawClient.exchange(server.port, headers)).status, 200)
})

test('Chunk extensions and trailers are ignored', async () => {
  const body = form([filePart('x')])
  const request = [head({ 'Transfer-Encoding': 'chunked' }), `${body.length.toString(16)};a=b;c="d"\r\n`, body, '\r\n0\r\nX-Trailer: 1\r\n\r\n']
  assert.equal((await RawClient.exchange(server.port, ...request)).status, 200)
  assert.deepEqual(server.stored.map(String), ['x'])
})
