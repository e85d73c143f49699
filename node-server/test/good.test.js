import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, beforeEach, test } from 'node:test'
import { chunkedUpload, filePart, form, part, someBytes, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const PAGE = readFileSync(new URL('../page.html', import.meta.url), 'utf8')
const server = await Server.start({ after })
beforeEach(() => server.empty())

test('A file is stored byte for byte under a UUID and answered with the page', async () => {
  const data = someBytes(100_000)
  const answer = await RawClient.exchange(server.port, upload(form([filePart(data)])))
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(answer.headers.etag, undefined)
  assert.equal(answer.headers['x-powered-by'], undefined)
  assert.equal(answer.body, PAGE)
  assert.deepEqual(server.stored, [data])
})

for (const bytes of [0, 1, 2, 1023, 4096, 65_535, 65_536, 131_071, 131_072, 131_073, 1_000_000, 5_000_001]) {
  test(`A file of ${bytes} bytes is stored exactly, with and without Content-Length`, async () => {
    const data = someBytes(bytes)
    const body = form([filePart(data)])
    assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
    assert.equal((await RawClient.exchange(server.port, chunkedUpload(body, 10_007))).status, 200)
    assert.deepEqual(server.stored, [data, data])
  })
}

test('Two files are stored among text fields before, between and after them', async () => {
  const [small, large] = [someBytes(10), someBytes(300_000)]
  const body = form([textPart('a', '1'), filePart(large), textPart('a', '2'), filePart(small), textPart('b', '')])
  assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
  assert.deepEqual(server.stored, [small, large])
})

test('Two identical files are stored twice', async () => {
  const data = someBytes(5000)
  await RawClient.exchange(server.port, upload(form([filePart(data), filePart(data)])))
  assert.deepEqual(server.stored, [data, data])
})

test('Uploads of all sizes at the same time, two files each and pipelined, are stored without mixing a byte', async () => {
  const sizes = [0, 1, 100, 4096, 8192, 23_552, 60_000, 65_536, 99_328, 131_072, 200_000, 419_840]
  /** @type {Buffer[]} */
  const sent = []
  await Promise.all(Array.from({ length: 40 }, async (_, i) => {
    const client = new RawClient(server.port)
    const requests = Array.from({ length: 6 }, (_, j) => {
      const files = [someBytes(sizes[(i + j) % sizes.length]), someBytes(sizes[(i * j + 3) % sizes.length])]
      sent.push(...files)
      return upload(form([textPart('before', 'x'.repeat(i * j)), filePart(files[0]), textPart('between', 'y'), filePart(files[1])]))
    })
    await client.send(Buffer.concat(requests))
    for (let j = 0; j < requests.length; j++) assert.equal((await client.answer({ timeoutMs: 30_000 })).status, 200)
    client.hangUp()
  }))
  const digests = (/** @type {Buffer[]} */ files) => files.map(file => createHash('sha256').update(file).digest('hex')).sort()
  assert.deepEqual(digests(server.stored), digests(sent))
})

test('A part with an empty file name, as a browser sends it when no file is chosen, is ignored', async () => {
  const data = someBytes(77)
  const empty = part('; name="avatar"; filename=""', 'rest', ['Content-Type: application/octet-stream'])
  assert.equal((await RawClient.exchange(server.port, upload(form([empty, filePart(data)])))).status, 200)
  assert.deepEqual(server.stored, [data])
  assert.equal((await RawClient.exchange(server.port, upload(form([empty])))).code, 'no_file')
})

test('A part of type application/octet-stream without a file name is ignored, however large', async () => {
  const data = someBytes(33)
  const nameless = part('; name="avatar"', someBytes(100_000), ['Content-Type: application/octet-stream'])
  assert.equal((await RawClient.exchange(server.port, upload(form([nameless, filePart(data)])))).status, 200)
  assert.deepEqual(server.stored, [data])
})

test('A request with text fields only has no file, also when they are in the file field', async () => {
  assert.equal((await RawClient.exchange(server.port, upload(form([textPart('avatar', 'x')])))).code, 'no_file')
})

test('A part is stored whatever its type and without one, and its transfer encoding is not undone', async () => {
  const base64 = part('; name="avatar"; filename="a"', 'aGFsbG8=', ['Content-Transfer-Encoding: base64'])
  const untyped = part('; name="avatar"; filename="b"', 'b')
  assert.equal((await RawClient.exchange(server.port, upload(form([base64, untyped])))).status, 200)
  assert.deepEqual(server.stored.map(String), ['b', 'aGFsbG8='])
})

test('Health is 15 bytes of JSON, and HEAD gives its head', async () => {
  const answer = await RawClient.exchange(server.port, 'GET /health HTTP/1.1\r\nHost: h\r\n\r\n')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.body, '{"status":"ok"}')
  const client = new RawClient(server.port)
  await client.send('HEAD /health HTTP/1.1\r\nHost: h\r\n\r\nGET /health HTTP/1.1\r\nHost: h\r\n\r\n')
  assert.equal((await client.answer({ head: true })).headers['content-length'], '15')
  assert.equal((await client.answer()).body, '{"status":"ok"}')
  client.hangUp()
})

test('Nothing is printed for a request', async () => {
  await RawClient.exchange(server.port, upload(form([filePart('x')])))
  assert.equal(server.stdout, `listening on ${server.url}\n`)
  assert.equal(server.stderr, '')
})
