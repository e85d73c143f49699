import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BOUNDARY, chunk, filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

const body = form([filePart('x')])
const good = upload(body)

test('Megabytes pipelined behind a failed request are neither answered nor stored, and the end is orderly', async () => {
  const bad = upload(form([filePart('x', { field: 'other' })]))
  const answer = await RawClient.refusal(server.port, Buffer.concat([bad, upload(form([filePart(someBytes(3_000_000))]))]))
  assert.equal(answer.code, 'unexpected_field')
  await server.settles()
})

test('Nonsense pipelined behind a good request does not take its answer', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([good, Buffer.from('nonsense\r\n\r\n')]))
  assert.equal((await client.answer()).status, 200)
  assert.equal((await client.answer()).status, 400)
  await client.isClosed()
  assert.equal(server.stored.length, 1)
})

test('Uploads are found at an absolute form in capitals', async () => {
  const request = [head({ 'Content-Length': body.length }, 'POST HTTP://LOCALHOST/getimages?a HTTP/1.1'), body]
  assert.equal((await RawClient.exchange(server.port, ...request)).status, 200)
})

for (const target of ['/health/', '/../getimages', '/getimages%2f', '/getimages%', '/getimages\\']) {
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
  'a Host with an underscore': `${line}Host: upload_server:8080\r\n\r\n`,
  'a Host with a port that is none': `${line}Host: a:b\r\n\r\n`,
  'a Host without a name': `${line}Host: :80\r\n\r\n`,
  'a Host that is an IPv6 address without brackets': `${line}Host: ::1\r\n\r\n`,
  'a Host in brackets that is no address': `${line}Host: [::g]\r\n\r\n`,
  'a header without colon': `${line}Host: h\r\nnonsense\r\n\r\n`,
  'a request line of one word': 'nonsense\r\n\r\n',
  'an unknown version': 'POST /getimages HTTP/9.9\r\nHost: h\r\n\r\n',
  'HTTP/2.0': 'GET /health HTTP/2.0\r\nHost: h\r\n\r\n',
  'no version': 'GET /health\r\nHost: h\r\n\r\n',
  'a lower-case method': 'post /getimages HTTP/1.1\r\nHost: h\r\n\r\n'
}
for (const [name, request] of Object.entries(malformed)) {
  test(`Broken HTTP is a bad request, answered once: ${name}`, async () => {
    const answer = await RawClient.refusal(server.port, request)
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [400, 'bad_request', 'close'])
    await server.settles()
  })
}

test('A head of 15,000 bytes and one of 150 headers are accepted', async () => {
  assert.equal((await RawClient.exchange(server.port, upload(body, { 'X-Long': 'x'.repeat(14_800) }))).status, 200)
  const many = Object.fromEntries(Array.from({ length: 146 }, (_, i) => [`X-${i}`, 'x']))
  assert.equal((await RawClient.exchange(server.port, upload(body, many))).status, 200)
})

const smallLines = 'X-Small: 12345\r\n'.repeat(900) + 'X: ' + 'y'.repeat(4000)
for (const [how, request] of Object.entries({
  'in one line': upload(body, { 'X-Long': 'x'.repeat(60_000) }),
  'in small lines': `GET /health HTTP/1.1\r\nHost: h\r\n${smallLines}\r\n\r\n`
})) {
  test(`A head over 17,000 bytes is too large: ${how}`, async () => {
    assert.equal((await RawClient.refusal(server.port, request)).code, 'headers_too_large')
  })
}

test('A flood of pipelined requests behind a slow one is read only as they are answered', async () => {
  const client = new RawClient(server.port)
  await client.send(head({ 'Content-Length': body.length }))
  const flood = 'GET /health HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(5000)
  await client.send(Buffer.concat([body, Buffer.from(`${flood}GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)]))
  assert.equal((await client.answer()).status, 200)
  await client.isClosed(60_000)
  assert.equal(client.received.split('HTTP/1.1 200').length, 5002)
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

test('The boundary of one request means nothing to the next', async () => {
  const client = new RawClient(server.port)
  await client.send(Buffer.concat([good, upload(form([filePart('y')], { boundary: 'other' }), { 'Content-Type': 'multipart/form-data; boundary=other' }), upload(form([filePart('z')], { boundary: BOUNDARY }))]))
  for (let i = 0; i < 3; i++) assert.equal((await client.answer()).status, 200)
  client.hangUp()
  assert.deepEqual(server.stored.map(String), ['x', 'y', 'z'])
})

for (const expect of ['100-continue; q=1', 'x, 100-continue', '"100-continue"', 'x\r\nExpect: 100-continue']) {
  test(`Another expectation that has the word in it is not met: ${JSON.stringify(expect)}`, async () => {
    const answer = await RawClient.refusal(server.port, upload(body, { Expect: expect }))
    assert.deepEqual([answer.status, answer.code], [417, 'expectation_failed'])
    await server.settles()
  })
}
