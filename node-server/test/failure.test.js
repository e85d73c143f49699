import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { chunk, filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

test('Nothing of a refused upload is left when its client has the answer', async () => {
  const body = form([filePart(someBytes(400_000)), filePart(someBytes(400_000))])
  const cut = chunk(body.subarray(0, 600_000)) // the chunk after it is none
  for (const request of [
    Buffer.concat([head({ 'Transfer-Encoding': 'chunked' }), cut, Buffer.from('nonsense\r\n')]),
    upload(Buffer.concat([body.subarray(0, 600_000), Buffer.from('\r\n--frontier7 nonsense\r\n'), body.subarray(600_000)]))
  ]) {
    for (let i = 0; i < 10; i++) {
      const client = new RawClient(server.port)
      await client.send(request)
      assert.equal((await client.answer()).status, 400)
      assert.deepEqual(server.names, [])
      client.hangUp()
    }
  }
})

test('SIGTERM closes a connection on which nothing was said', async t => {
  const stopping = await Server.start(t)
  const silent = new RawClient(stopping.port)
  await fetch(`${stopping.url}/health`) // behind it: it is accepted
  stopping.child.kill('SIGTERM')
  await silent.isClosed()
  assert.deepEqual(await stopping.exit, { code: 0, signal: null })
})

test('A client that stalls in the body is told so, and nothing of its upload is left', async t => {
  const impatient = await Server.start(t, { IDLE_TIMEOUT_MS: 400 })
  const client = new RawClient(impatient.port)
  await client.send(upload(form([filePart(someBytes(300_000))])).subarray(0, 200_000))
  const answer = await client.answer()
  assert.deepEqual([answer.status, answer.code, answer.headers.connection], [408, 'request_timeout', 'close'])
  await client.isClosed()
  await impatient.settles()
})
