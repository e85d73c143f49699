// The rows of docs/guides/your-server.md, of the server as its own process.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { PAGE, post, rawUpload, send, startServer, until } from './support/server.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SMALL = Buffer.from('four')
const LARGE = randomBytes(400_000)

test('Rows 1 to 3: one or two files are stored exactly, under fresh names, text is ignored, the answer is the page', async t => {
  const server = await startServer(t)
  for (const parts of [[['avatar', LARGE]], [['note', 'text'], ['avatar', SMALL], ['avatar', LARGE], ['a[x]', 'more']]]) {
    const response = await post(server.url, parts)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(response.headers.get('connection'), 'keep-alive')
    assert.equal(await response.text(), PAGE)
  }
  assert.deepEqual(server.stored(), [SMALL, LARGE, LARGE])
  assert.ok(server.names().every(name => UUID.test(name)), String(server.names()))
})

test('Row 4: the health path answers', async t => {
  const server = await startServer(t)
  assert.deepEqual(await (await fetch(`${server.url}/health`)).json(), { status: 'ok' })
})

const multipart = (body, type = 'multipart/form-data; boundary=b') =>
  ({ method: 'POST', body, headers: { 'Content-Type': type } })

test('Row 5: what is no good upload is refused with 4xx and JSON, leaves nothing, and the server keeps serving', async t => {
  const server = await startServer(t)
  const whole = rawUpload(LARGE).toString('latin1').split('\r\n\r\n').slice(1).join('\r\n\r\n')
  const refused = {
    'not multipart': multipart('a=b', 'application/x-www-form-urlencoded'),
    'no boundary': multipart(whole, 'multipart/form-data'),
    'another boundary': multipart(whole, 'multipart/form-data; boundary=c'),
    'an empty body': multipart(''),
    'a broken header': multipart('--b\r\nno colon\r\n\r\n\r\n--b--\r\n'),
    'cut within the file': multipart(whole.slice(0, 100_000)),
    'cut before the end': multipart(whole.slice(0, -8)),
    'cut within a second file': multipart(whole.slice(0, -'--b--\r\n'.length) + whole.slice(0, 100_000)),
    'cut in the end of two files': multipart(whole.slice(0, -'--b--\r\n'.length) + whole.slice(0, -6))
  }
  for (const [what, request] of Object.entries(refused)) await assertRefused(fetch(`${server.url}/getimages`, request), 400, what)
  const files = { 'no file': [['avatar', 'text']], 'another field': [['other', LARGE]], 'a third file': Array(3).fill(['avatar', LARGE]) }
  for (const [what, parts] of Object.entries(files)) await assertRefused(post(server.url, parts), 400, what)
  await keepsServing(server)
})

test('Row 6: a file over the limit is refused with 413, one of the limit is stored', async t => {
  const server = await startServer(t, { MAX_FILE_BYTES: '400000' })
  await assertRefused(post(server.url, [['avatar', SMALL], ['avatar', Buffer.concat([LARGE, SMALL])]]), 413, 'too large')
  await until(() => server.names().length === 0)
  assert.equal((await post(server.url, [['avatar', LARGE]])).status, 200)
  assert.deepEqual(server.stored(), [LARGE])
})

test('Row 7: a disk that cannot be written is answered with 500, and the server keeps serving', async t => {
  const server = await startServer(t, {})
  rmSync(server.uploadDir, { recursive: true })
  await assertRefused(post(server.url, [['avatar', LARGE]]), 500, 'no folder')
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
})

test('Row 8: nothing is left of an upload that is aborted at any place', async t => {
  const server = await startServer(t)
  const request = rawUpload(LARGE)
  for (const cut of [10, 150, 1_000, 200_000, 400_000, request.length - 4]) {
    const socket = await send(server.port, request.subarray(0, cut))
    if (cut > 1_000) await until(() => server.names().length === 1)
    socket.resetAndDestroy()
    await until(() => server.names().length === 0 && server.openUploads().length === 0)
  }
  await keepsServing(server)
})

test('Row 9: SIGTERM closes idle connections, lets an upload under way finish, and the process ends with 0', async t => {
  const server = await startServer(t)
  const request = rawUpload(LARGE)
  const idle = await send(server.port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const busy = await send(server.port, request.subarray(0, 200_000))
  await until(() => server.openUploads().length === 1)
  server.child.kill('SIGTERM')
  await once(idle, 'close')
  busy.write(request.subarray(200_000))
  const [answer] = await once(busy, 'data')
  assert.match(String(answer), /^HTTP\/1.1 200 /)
  assert.deepEqual(await server.ended, [0, null])
  assert.deepEqual(server.stored(), [LARGE])
})

test('Row 9: an upload that stalls is cut off after SIGTERM, and nothing of it is left', async t => {
  const server = await startServer(t)
  await send(server.port, rawUpload(LARGE).subarray(0, 200_000))
  await until(() => server.openUploads().length === 1)
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.ended, [0, null])
  assert.deepEqual(server.names(), [])
})

async function assertRefused (answer, status, what) {
  const response = await answer
  assert.equal(response.status, status, what)
  const { error } = await response.json()
  assert.ok(error.code && error.message, what)
}

async function keepsServing (server) {
  await until(() => server.names().length === 0)
  assert.equal((await post(server.url, [['avatar', SMALL]])).status, 200)
  assert.deepEqual(server.stored(), [SMALL])
}
