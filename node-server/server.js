// The upload server as the documentation of Express and multer writes it:
// - https://github.com/expressjs/multer#diskstorage (storage, limits, error handling), read 2026-11-27
// - https://expressjs.com/en/guide/error-handling.html
// - https://expressjs.com/en/5x/api.html#res.send
// - https://expressjs.com/en/advanced/healthcheck-graceful-shutdown.html
// Whatever is not a setting of sut.toml is as Node.js, Express and multer have it.
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import express from 'express'
import multer from 'multer'
import { v4 as uuid } from 'uuid'

const PAGE_FILE = join(import.meta.dirname, 'page.html')
const PAGE = readFileSync(PAGE_FILE, 'utf8')
const STOP_GRACE_MS = 5000
const TOO_LARGE = ['LIMIT_FILE_SIZE', 'LIMIT_FIELD_VALUE', 'LIMIT_FIELD_KEY', 'LIMIT_FIELD_COUNT', 'LIMIT_PART_COUNT']

const uploadDir = process.env.UPLOAD_DIR
if (!uploadDir) giveUp('UPLOAD_DIR is not set; expected a folder')
const pageIn = process.env.PAGE_IN ?? 'memory'
if (!['memory', 'file'].includes(pageIn)) giveUp(`PAGE_IN is "${pageIn}"; expected memory or file`)

const upload = multer({
  storage: multer.diskStorage({
    destination: uploadDir,
    filename: (req, file, done) => {
      const name = uuid()
      req.stored = [...req.stored ?? [], name]
      done(null, name)
    }
  }),
  limits: {
    fileSize: wholeNumber('MAX_FILE_BYTES', 200 * 1024 * 1024),
    parts: 100,
    fieldNestingDepth: 3, // these two as multer's README advises
    fieldArrayIndexLimit: 100
  }
}).array('avatar', 2)

const app = express()

app.get('/health', (req, res) => { res.json({ status: 'ok' }) })

app.post('/getimages', upload, refused, (req, res) => {
  if (!req.files?.length) throw failure(400, 'NO_FILE', 'Expected a file in the field "avatar" of a multipart/form-data body.')
  if (pageIn === 'file') res.sendFile(PAGE_FILE)
  else res.send(PAGE)
})

app.use((error, req, res, next) => {
  if (res.headersSent) return next(error)
  const { status = 500, code = 'BAD_REQUEST', message } = error
  if (status >= 500) console.error(error)
  res.status(status).json({ error: { code, message: status < 500 ? message : 'The server failed.' } })
})

const server = app.listen({
  host: process.env.HOST ?? '127.0.0.1',
  port: wholeNumber('PORT', 8080),
  backlog: wholeNumber('BACKLOG', 511)
}, error => {
  if (error) giveUp(error.message)
  const { address, port } = server.address()
  console.log(`listening on http://${address}:${port}`)
})
server.keepAliveTimeout = wholeNumber('KEEP_ALIVE_TIMEOUT_MS', 60_000)
server.maxRequestsPerSocket = wholeNumber('KEEP_ALIVE_REQUESTS', 0)

process.on('SIGTERM', () => {
  server.close() // closes idle connections, too
  setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS).unref()
})

/**
 * Gives what multer refuses a status: what busboy finds in a body is a plain Error, what the disk says has a syscall.
 * multer 2.5 forgets a second file that is cut while the first is still being written: removed here.
 */
async function refused (error, req, res, next) {
  await Promise.all((req.stored ?? []).map(name => rm(join(uploadDir, name), { force: true })))
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') error.status = 507
  else if (error.syscall) error.status = 500
  else error.status = TOO_LARGE.includes(error.code) ? 413 : 400
  next(error)
}

function failure (status, code, message) {
  return Object.assign(new Error(message), { status, code })
}

function wholeNumber (name, fallback) {
  const text = process.env[name] ?? String(fallback)
  if (!/^\d{1,15}$/.test(text)) giveUp(`${name} is "${text}"; expected a whole number`)
  return Number(text)
}

function giveUp (sentence) {
  console.error(`node-server: ${sentence}`)
  process.exit(2)
}
