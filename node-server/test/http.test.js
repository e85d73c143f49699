import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BOUNDARY, chunk, filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'
import { until } from './support/until.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

const body = form([filePart('x')])
const good = upload(body)
const bad = upload(form([filePart('x', { field: 'other' })]))

test('A connection serves many requests one after the other', async () => {
  const client = new RawClient(server.port)
  for (let i = 0; i < 200; i++) {
    await client.send(good)
    assert.equal((await client.answer()).headers.connection, 'keep-alive')
  }
  client.hangUp()
  assert.equal(server.stored.length, 200)
})

test('Pipelined good requests are answered in order', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([good, 'GET /health HTTP/1.1\r\nHost: h\r\n\r\n', good].map(bytes => Buffer.from(bytes))))
  const answers = [await client.answer(), await client.answer(), await client.answer()]
  assert.deepEqual(answers.map(answer => answer.headers['content-length']), ['974', '15', '974'])
  client.hangUp()
  assert.equal(server.stored.length, 2)
})

for (const [name, behind] of /** @type {[string, Buffer][]} */ ([['small', good], ['large', upload(form([filePart(someBytes(3_000_000))]))]])) {
  test(`What is pipelined behind a failed request is neither answered nor stored: ${name}`, async () => {
    const client = new RawClient(server.port)
    await client.send(Buffer.concat([bad, behind]))
    assert.equal((await client.answer()).code, 'unexpected_field')
    await client.isClosed()
    assert.equal(client.received, '')
    assert.equal(client.error, undefined)
    client.hangUp()
    await server.settles()
  })
}

test('Nonsense pipelined behind a good request does not take its answer', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([good, Buffer.from('nonsense\r\n\r\n')]))
  assert.equal((await client.answer()).status, 200)
  assert.equal((await client.answer()).status, 400)
  await client.isClosed()
  assert.equal(server.stored.length, 1)
})

test('A client that asks for it, or speaks HTTP/1.0, is hung up on after its answer', async () => {
  for (const request of [upload(body, { Connection: 'close' }), Buffer.from(good.toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')]) {
    const client = new RawClient(server.port)
    await client.send(request)
    assert.equal((await client.answer()).status, 200)
    await client.isClosed()
  }
})

test('A client that waits for 100 Continue is asked for the body and then answered', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Content-Length': body.length, Expect: '100-continue' }))
  assert.equal((await client.answer()).status, 100)
  await client.send(body)
  const answer = await client.answer()
  assert.deepEqual([answer.status, answer.headers.connection], [200, 'keep-alive'])
  client.hangUp()
})

/** @type {Record<string, [Buffer, number]>} */
const refusedByHead = {
  path: [head({ Expect: '100-continue', 'Content-Length': 9 }, 'POST /nothing HTTP/1.1'), 404],
  method: [head({ Expect: '100-continue', 'Content-Length': 9 }, 'PUT /getimages HTTP/1.1'), 405],
  type: [head({ Expect: '100-continue', 'Content-Length': 9, 'Content-Type': 'text/plain' }), 415],
  boundary: [head({ Expect: '100-continue', 'Content-Length': 9, 'Content-Type': 'multipart/form-data' }), 400],
  length: [head({ Expect: '100-continue', 'Content-Length': 10 ** 12 }), 413],
  'another expectation': [head({ Expect: 'a miracle', 'Content-Length': 9 }), 417]
}
for (const [name, [request, status]] of Object.entries(refusedByHead)) {
  test(`A client that waits for 100 Continue is refused at once by its ${name}`, async () => {
    const client = new RawClient(server.port)
    await client.send(request)
    const answer = await client.answer()
    assert.deepEqual([answer.status, answer.headers.connection], [status, 'close'])
    await client.isClosed()
    client.hangUp()
  })
}

for (const method of ['HEAD', 'GET', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
  test(`${method} is not allowed for uploads`, async () => {
    const client = new RawClient(server.port)
    await client.send(`${method} /getimages HTTP/1.1\r\nHost: h\r\n\r\n`)
    const answer = await client.answer({ head: method === 'HEAD' })
    assert.deepEqual([answer.status, answer.headers.allow, answer.headers.connection], [405, 'POST', 'close'])
    if (method !== 'HEAD') assert.equal(answer.code, 'method_not_allowed')
    await client.isClosed()
    assert.equal(client.received, '')
    client.hangUp()
  })
}

for (const method of ['POST', 'OPTIONS', 'DELETE']) {
  test(`${method} is not allowed for health`, async () => {
    const answer = await RawClient.exchange(server.port, `${method} /health HTTP/1.1\r\nHost: h\r\n\r\n`)
    assert.deepEqual([answer.status, answer.code, answer.headers.allow], [405, 'method_not_allowed', 'GET, HEAD'])
  })
}

for (const target of ['/getimages?a=b', 'http://localhost/getimages', 'HTTP://LOCALHOST/getimages?a']) {
  test(`Uploads are found at ${target}`, async () => {
    const request = Buffer.concat([head({ 'Content-Length': body.length }, `POST ${target} HTTP/1.1`), body])
    assert.equal((await RawClient.exchange(server.port, request)).status, 200)
  })
}

for (const target of ['/getimages/', '/GETIMAGES', '//getimages', '/%67etimages', '/getimages;x=1', '/x/../getimages', '/getimages/x', '/', '/health/', '/../getimages', '/getimages%2f', '/getimages%', '/getimages\\']) {
  test(`There is nothing at ${target}`, async () => {
    const request = Buffer.concat([head({ 'Content-Length': body.length }, `POST ${target} HTTP/1.1`), body])
    const answer = await RawClient.exchange(server.port, request)
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [404, 'not_found', 'close'])
  })
}

const line = 'POST /getimages HTTP/1.1\r\n'
/** @type {Record<string, Buffer | string>} */
const malformed = {
  'both lengths': Buffer.concat([head({ 'Content-Length': body.length, 'Transfer-Encoding': 'chunked' }), chunk(body)]),
  'two different lengths': `${line}Host: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n`,
  'a length that is not a number': `${line}Host: h\r\nContent-Length: five\r\n\r\n`,
  'a negative length': `${line}Host: h\r\nContent-Length: -5\r\n\r\n`,
  'an unknown transfer encoding': Buffer.concat([head({ 'Transfer-Encoding': 'zip' }), body]),
  'an unknown transfer encoding and chunks': Buffer.concat([head({ 'Transfer-Encoding': 'gzip' }), chunk(body), Buffer.from('0\r\n\r\n')]),
  'a transfer encoding besides chunked': Buffer.concat([head({ 'Transfer-Encoding': 'gzip, chunked' }), chunk(body), Buffer.from('0\r\n\r\n')]),
  'no Host': `${line}\r\n`,
  'a header without colon': `${line}Host: h\r\nnonsense\r\n\r\n`,
  'a request line of one word': 'nonsense\r\n\r\n',
  'an unknown version': 'POST /getimages HTTP/9.9\r\nHost: h\r\n\r\n',
  'a lower-case method': 'post /getimages HTTP/1.1\r\nHost: h\r\n\r\n'
}
for (const [name, request] of Object.entries(malformed)) {
  test(`Broken HTTP is a bad request, answered once: ${name}`, async () => {
    const answer = await RawClient.refusal(server.port, request)
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [400, 'bad_request', 'close'])
    await server.settles()
  })
}

test('A broken chunk ends the request with an error and leaves nothing', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([head({ 'Transfer-Encoding': 'chunked' }), chunk(form([filePart(someBytes(200_000))]).subarray(0, 150_000))]))
  await until(() => server.names.length === 1)
  await client.send('XYZ\r\n')
  assert.equal((await client.answer()).status, 400)
  await client.isClosed()
  client.hangUp()
  await server.settles()
})

test('A head of 15,000 bytes and one of 150 headers are accepted', async () => {
  assert.equal((await RawClient.exchange(server.port, upload(body, { 'X-Long': 'x'.repeat(14_800) }))).status, 200)
  const many = Object.fromEntries(Array.from({ length: 146 }, (_, i) => [`X-${i}`, 'x']))
  assert.equal((await RawClient.exchange(server.port, upload(body, many))).status, 200)
})

test('A head over 17,000 bytes is too large', async () => {
  const client = new RawClient(server.port)
  await client.send(upload(body, { 'X-Long': 'x'.repeat(60_000) }))
  assert.equal((await client.answer()).code, 'headers_too_large')
  await client.isClosed()
  assert.equal(client.error, undefined)
  client.hangUp()
})

test('A client that ends its sending half after a whole request is not kept waiting', async () => {
  const client = new RawClient(server.port)
  await client.send(good)
  client.socket.end()
  await client.isClosed()
  const confirmed = client.received.startsWith('HTTP/1.1 200')
  await server.settles(confirmed ? 1 : 0)
})

test('A flood of pipelined requests behind a slow one is read only as they are answered', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Content-Length': body.length }))
  await client.send(Buffer.concat([body, ...Array.from({ length: 5000 }, () => Buffer.from('GET /health HTTP/1.1\r\nHost: h\r\n\r\n'))]))
  assert.equal((await client.answer()).status, 200)
  await until(() => client.received.split('HTTP/1.1 200').length === 5001)
  client.hangUp()
})

test('With a limit of requests on a connection the last one says so', async t => {
  const limited = await Server.start(t, { KEEP_ALIVE_REQUESTS: 2 })
  const client = new RawClient(limited.port)
  const answers = []
  for (let i = 0; i < 2; i++) {
    await client.send(good)
    answers.push((await client.answer()).headers.connection)
    await pause(1)
  }
  assert.deepEqual(answers, ['keep-alive', 'close'])
  await client.isClosed()
})

test('An Upgrade is not followed', async () => {
  const answer = await RawClient.exchange(server.port, upload(body, { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA' }))
  assert.equal(answer.status, 200)
})

test('The boundary of one request means nothing to the next', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([good, upload(form([filePart('y')], { boundary: 'other' }), { 'Content-Type': 'multipart/form-data; boundary=other' }), upload(form([filePart('z')], { boundary: BOUNDARY }))]))
  for (let i = 0; i < 3; i++) assert.equal((await client.answer()).status, 200)
  client.hangUp()
  assert.deepEqual(server.stored.map(String), ['x', 'y', 'z'])
})

/** @type {Record<string, [number, Buffer | string]>} */
const refusedHeads = {
  'in HTTP/2.0': [400, 'GET /health HTTP/2.0\r\nHost: h\r\n\r\n'],
  'without a version': [400, 'GET /health\r\nHost: h\r\n\r\n'],
  'with two hosts': [400, 'GET /health HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n'],
  'for a host that is none': [400, 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n'],
  'for another host than it says': [400, 'GET http://elsewhere/health HTTP/1.1\r\nHost: h\r\n\r\n'],
  'of 18 KB in small lines': [431, 'GET /health HTTP/1.1\r\nHost: h\r\n' + 'X-Small: 12345\r\n'.repeat(900) + 'X: ' + 'y'.repeat(4000) + '\r\n\r\n']
}
for (const [name, [status, request]] of Object.entries(refusedHeads)) {
  test(`A request ${name} is refused`, async () => {
    assert.equal((await RawClient.refusal(server.port, request)).status, status)
  })
}

test('An HTTP/1.0 client is not asked to continue', async () => {
  const request = head({ 'Content-Length': body.length, Expect: '100-continue' }, 'POST /getimages HTTP/1.0')
  assert.equal((await RawClient.exchange(server.port, request, body)).status, 200)
})

test('A client that closes its sending half behind a whole request has its answer', async () => {
  const clients = Array.from({ length: 20 }, () => new RawClient(server.port))
  for (const client of clients) client.socket.end(Buffer.concat([head({ 'Content-Length': body.length }), body]))
  for (const client of clients) {
    assert.equal((await client.answer()).status, 200)
    await client.isClosed()
    client.hangUp()
  }
})
