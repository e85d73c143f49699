// The stack of the published study.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PAGE, PAPER_START, post, startServer, temporaryFolder } from './support/server.js'

const options = { skip: process.arch === 'x64' && existsSync(join(dirname(PAPER_START), '../node_modules')) ? false : 'not installed' }

test('The 2016 server stores files as the paper prints it: behind the name of the field', options, async t => {
  const server = await startServer(t, {}, PAPER_START)
  const files = [Buffer.from('four'), randomBytes(300_000)]
  const response = await post(server.url, [['note', 'text'], ...files.map(file => ['avatar', file])])
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type')?.toLowerCase(), 'text/html; charset=utf-8')
  assert.equal(await response.text(), PAGE)
  assert.deepEqual(server.stored(), files)
  assert.ok(server.names().every(name => /^avatar-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)))
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
})

test('The 2016 server listens on loopback only', options, t => {
  const env = { PATH: process.env.PATH, PORT: '0', HOST: '0.0.0.0', UPLOAD_DIR: temporaryFolder(t) }
  const { status, stderr } = spawnSync(PAPER_START, { env, encoding: 'utf8', timeout: 30_000 })
  assert.equal(status, 2)
  assert.match(stderr, /^node-server paper-2016: HOST is "0.0.0.0"; expected 127.0.0.1, ::1, localhost: .*\n$/)
})
