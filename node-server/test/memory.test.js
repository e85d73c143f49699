import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filePart, form, head, someBytes, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'
import { slow } from './support/slow.js'

const MIB = 1024 * 1024

/**
 * The most a server's resident memory rises over its present one while something runs.
 * @param {Server} server
 * @param {() => Promise<unknown>} action
 */
async function riseOf (server, action) {
  const before = server.residentBytes
  let peak = before
  const watch = setInterval(() => { peak = Math.max(peak, server.residentBytes) }, 5)
  try {
    await action()
  } finally {
    clearInterval(watch)
  }
  return Math.max(peak, server.residentBytes) - before
}

/** @param {Server} server */
async function warmUp (server) {
  const request = upload(form([filePart(someBytes(1000))]))
  const client = new RawClient(server.port)
  for (let i = 0; i < 300; i++) {
    await client.send(request)
    await client.answer()
  }
  client.hangUp()
  server.empty()
}

test('An upload of 200 MiB raises resident memory by less than 32 MiB', slow, async t => {
  const server = await Server.start(t)
  await warmUp(server)
  const frame = form([filePart('|')])
  const [start, end] = [frame.subarray(0, frame.indexOf('|')), frame.subarray(frame.indexOf('|') + 1)]
  const piece = someBytes(MIB)
  const rise = await riseOf(server, async () => {
    const client = new RawClient(server.port)
    await client.send(Buffer.concat([head({ 'Content-Length': start.length + 200 * MIB - 1024 + end.length }), start]))
    for (let i = 0; i < 199; i++) await client.send(piece)
    await client.send(piece.subarray(1024))
    await client.send(end)
    assert.equal((await client.answer({ timeoutMs: 60_000 })).status, 200)
    client.hangUp()
  })
  assert.equal(server.stored[0].length, 200 * MIB - 1024)
  assert.ok(rise < 32 * MIB, `${(rise / MIB).toFixed(1)} MiB`)
})

test('200 uploads of 1 MiB at the same time raise resident memory by less than 256 MiB', slow, async t => {
  const server = await Server.start(t)
  await warmUp(server)
  const request = upload(form([filePart(someBytes(MIB))]))
  const rise = await riseOf(server, async () => {
    const clients = Array.from({ length: 200 }, () => new RawClient(server.port))
    await Promise.all(clients.map(async client => {
      await client.send(request)
      assert.equal((await client.answer({ timeoutMs: 60_000 })).status, 200)
      client.hangUp()
    }))
  })
  assert.equal(server.stored.length, 200)
  assert.ok(rise < 256 * MIB, `${(rise / MIB).toFixed(1)} MiB`)
})
