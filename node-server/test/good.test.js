import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { BOUNDARY, chunk, chunkedUpload, filePart, form, head, part, someBytes, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

test('An answer does not name the library that makes it', async () => {
  const answer = await RawClient.exchange(server.port, upload(form([filePart('x')])))
  assert.equal(answer.headers['x-powered-by'], undefined)
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

test('What looks like an empty filename* in a quoted name or in the data is only text', async () => {
  const text = "filename*=UTF-8'';"
  const body = form([filePart(text, { name: `a ${text} b` }), part('; name="avatar"; filename="f"', `\r\n${text}\r\n\r\n`)])
  assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
  assert.equal(server.stored.length, 2)
})

for (const name of ['a[4294967294]', `a${'[b]'.repeat(1000)}`, '__proto__', 'constructor[prototype][x]', 'a[', 'a[]', 'hasOwnProperty']) {
  test(`A text field called ${name.slice(0, 30)} is only a name`, async () => {
    const plain = form([textPart('a', '1'), textPart('a[x]', '2'), filePart('x')])
    const hostile = form([textPart(name, '1'), textPart(name.replace(/\[\d+\]/, '[x]'), '2'), filePart('x')])
    const [ordinary, tried] = [await medianMs(plain), await medianMs(hostile)]
    assert.ok(tried < 20 * ordinary, `${tried} ms against ${ordinary} ms for an ordinary name`)
  })
}

test('Nothing is printed for a request', async () => {
  await RawClient.exchange(server.port, upload(form([filePart('x')])))
  assert.equal(server.stdout, `listening on ${server.url}\n`)
  assert.equal(server.stderr, '')
})

/** @param {Buffer} body */
async function medianMs (body) {
  const times = []
  for (let i = 0; i < 9; i++) {
    const start = performance.now()
    assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[4]
}
