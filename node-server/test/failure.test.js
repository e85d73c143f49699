import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { chunk, filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { START, Server, temporaryFolder } from './support/server.js'
import { until } from './support/until.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

const whole = upload(form([filePart(someBytes(400_000)), filePart(someBytes(400_000))]))

for (const leave of /** @type {const} */ (['reset', 'hangUp'])) {
  for (const [where, bytes] of /** @type {[string, number][]} */ ([['in the head', 50], ['before the files', 160], ['in the first file', 200_000], ['between the files', 400_400], ['in the second file', 700_000]])) {
    test(`A client that goes ${where} leaves nothing (${leave})`, async () => {
      const clients = Array.from({ length: 10 }, () => new RawClient(server.port))
      await Promise.all(clients.map(client => client.send(whole.subarray(0, bytes))))
      if (bytes > 1000) await until(() => server.names.length > 0)
      for (const client of clients) client[leave]()
      await server.settles()
      assert.equal((await RawClient.exchange(server.port, upload(form([filePart('x')])))).status, 200)
    })
  }
}

test('A client that ends its sending half too early leaves nothing', async () => {
  const client = new RawClient(server.port)
  await client.send(whole.subarray(0, 500_000))
  client.socket.end()
  await client.isClosed()
  await server.settles()
})

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

test('While it is received a file has a hidden name, and it is published only with its whole request', async () => {
  const client = new RawClient(server.port)
  await client.send(whole.subarray(0, whole.length - 1000))
  await until(() => server.names.length === 2)
  assert.ok(server.names.every(name => name.startsWith('.incomplete-')))
  await client.send(whole.subarray(whole.length - 1000))
  assert.equal((await client.answer()).status, 200)
  assert.equal(server.stored.length, 2)
  client.hangUp()
})

test('An upload folder that goes missing is an error until it is back', async () => {
  const away = server.uploadDir + '-away'
  renameSync(server.uploadDir, away)
  try {
    const answer = await RawClient.exchange(server.port, whole)
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [500, 'storage_failed', 'close'])
  } finally {
    renameSync(away, server.uploadDir)
  }
  assert.equal((await RawClient.exchange(server.port, whole)).status, 200)
  await server.settles(2)
})

const unshare = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--mount']
const mayMount = spawnSync(unshare[0], [...unshare.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

test('A full disk is insufficient storage, leaves nothing, and is forgotten when there is room again', { skip: !mayMount && 'no mounts here' }, async t => {
  const folder = temporaryFolder(t)
  const mount = `mount -t tmpfs -o size=600k tmpfs ${folder} && exec ${START}`
  const small = await Server.start(t, { UPLOAD_DIR: folder }, [...unshare, 'sh', '-c', mount])
  const names = () => readdirSync(`/proc/${small.pid}/root${folder}`)
  for (let i = 0; i < 3; i++) {
    const answer = await RawClient.exchange(small.port, whole)
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [507, 'insufficient_storage', 'close'])
  }
  await until(() => names().length === 0)
  assert.equal((await RawClient.exchange(small.port, upload(form([filePart(someBytes(400_000))])))).status, 200)
  assert.equal(names().length, 1)
})

test('Out of descriptors no upload is confirmed without its file, nothing is left, and it serves again afterwards', async t => {
  const poor = await Server.start(t, {}, ['bash', '-c', `ulimit -n 60 && exec ${START}`])
  const clients = Array.from({ length: 80 }, () => new RawClient(poor.port))
  const answers = await Promise.all(clients.map(async client => {
    await client.send(upload(form([filePart(someBytes(200_000))])))
    return client.answer({ timeoutMs: 10_000 }).catch(() => undefined)
  }))
  for (const client of clients) client.hangUp()
  const confirmed = answers.filter(answer => answer?.status === 200).length
  await poor.settles(confirmed)
  assert.equal(poor.stored.length, confirmed)
  assert.equal((await RawClient.exchange(poor.port, upload(form([filePart('x')])))).status, 200)
})

test('After kill -9 there are whole files and incomplete ones, and the next start removes the incomplete ones only', async t => {
  const folder = temporaryFolder(t)
  const first = await Server.start(t, { UPLOAD_DIR: folder })
  await RawClient.exchange(first.port, upload(form([filePart('kept')])))
  const clients = Array.from({ length: 5 }, () => new RawClient(first.port))
  for (const client of clients) await client.send(whole.subarray(0, 700_000))
  await until(() => first.names.length === 11)
  first.child.kill('SIGKILL')
  await first.exit
  for (const client of clients) client.hangUp()
  mkdirSync(join(folder, 'a-folder'))
  writeFileSync(join(folder, '.hidden'), '')
  assert.equal(first.names.filter(name => name.startsWith('.incomplete-')).length, 10)

  const second = await Server.start(t, { UPLOAD_DIR: folder })
  assert.equal(second.names.length, 3)
  assert.ok(second.names.includes('a-folder') && second.names.includes('.hidden'))
  const [kept] = second.names.filter(name => name.includes('-4'))
  assert.equal(readFileSync(join(folder, kept), 'utf8'), 'kept')
})

test('A thousand connections at once are all served', async () => {
  const data = someBytes(5000)
  const answers = await Promise.all(Array.from({ length: 1000 }, async () => {
    const client = new RawClient(server.port)
    await client.send(upload(form([filePart(data)])))
    const { status } = await client.answer({ timeoutMs: 20_000 })
    client.hangUp()
    return status
  }))
  assert.deepEqual(new Set(answers), new Set([200]))
  assert.equal(server.stored.length, 1000)
  assert.ok(server.stored.every(file => file.equals(data)))
})

test('SIGTERM finishes requests in flight, closes idle connections, takes no new ones and exits 0', async t => {
  const stopping = await Server.start(t)
  const idle = new RawClient(stopping.port)
  await idle.send(upload(form([filePart('x')])))
  await idle.answer()
  const silent = new RawClient(stopping.port)
  const busy = new RawClient(stopping.port)
  await busy.send(whole.subarray(0, 700_000))
  await until(() => stopping.names.length === 3)
  stopping.child.kill('SIGTERM')
  await idle.isClosed()
  await silent.isClosed()
  await until(() => RawClient.exchange(stopping.port, whole).then(() => false, () => true))
  await busy.send(whole.subarray(700_000))
  const answer = await busy.answer()
  assert.deepEqual([answer.status, answer.headers.connection], [200, 'close'])
  assert.deepEqual(await stopping.exit, { code: 0, signal: null })
  assert.equal(stopping.stored.length, 3)
})

for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
  test(`${signal} cuts what is not finished within STOP_GRACE_MS, removes its files and exits 0`, async t => {
    const stopping = await Server.start(t, { STOP_GRACE_MS: 300 })
    const client = new RawClient(stopping.port)
    await client.send(Buffer.concat([head({ 'Transfer-Encoding': 'chunked' }), chunk(form([filePart(someBytes(300_000))]).subarray(0, 200_000))]))
    await until(() => stopping.names.length === 1)
    stopping.child.kill(signal)
    assert.deepEqual(await stopping.exit, { code: 0, signal: null })
    assert.deepEqual(stopping.names, [])
    client.hangUp()
  })
}
