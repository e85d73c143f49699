// The upload server as it was written in mid 2016: multer's own disk storage, straight to the final name. It keeps
// the good part of the upload contract. What runs here has known vulnerabilities, so it listens on loopback only.
'use strict'

const fs = require('fs')
const path = require('path')
const express = require('express')
const multer = require('multer')
const uuid = require('node-uuid')

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']
const page = fs.readFileSync(path.join(__dirname, '..', 'page.html'))

/** Ends the process with one sentence on standard error. */
function giveUp (sentence) {
  console.error(`node-server paper-2016: ${sentence}`)
  process.exit(2)
}

function wholeNumber (name, fallback, min, max) {
  const text = process.env[name]
  if (text === undefined) return fallback
  if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max) {
    giveUp(`${name} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`)
  }
  return Number(text)
}

function trueOrFalse (name, fallback) {
  const text = process.env[name]
  if (text === undefined) return fallback
  if (text !== 'true' && text !== 'false') giveUp(`${name} is ${JSON.stringify(text)}; expected true or false`)
  return text === 'true'
}

function loopbackHost () {
  const host = process.env.HOST || '127.0.0.1'
  if (LOOPBACK.indexOf(host) === -1) {
    giveUp(`HOST is ${JSON.stringify(host)}; expected ${LOOPBACK.join(', ')}: these versions have known vulnerabilities`)
  }
  return host
}

function uploadFolder () {
  const folder = process.env.UPLOAD_DIR
  try {
    fs.accessSync(folder, fs.W_OK | fs.X_OK)
    fs.readdirSync(folder)
  } catch (error) {
    giveUp(`UPLOAD_DIR is ${JSON.stringify(folder)}; expected a folder that exists and can be written (${error.message})`)
  }
  return folder
}

const host = loopbackHost()
const port = wholeNumber('PORT', 8080, 0, 65535)
const folder = uploadFolder()
const backlog = wholeNumber('BACKLOG', 511, 1, 65535)
const stopGraceMs = wholeNumber('STOP_GRACE_MS', 8000, 1, 0x7fffffff)
const noDelay = trueOrFalse('NO_DELAY', false)
wholeNumber('UV_THREADPOOL_SIZE', 4, 1, 128) // libuv reads it itself

const upload = multer({
  storage: multer.diskStorage({
    destination: folder,
    filename: (req, file, done) => done(null, uuid.v4())
  }),
  limits: { fileSize: wholeNumber('MAX_FILE_BYTES', 200 * 1024 * 1024, 0, Number.MAX_SAFE_INTEGER) }
})

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.post('/getimages', upload.array('avatar', 2), (req, res) => {
  // Head and body leave apart, as they do from Express's own sendFile; in one piece nothing would wait for Nagle.
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length })
  res.write(page)
  res.end()
})
app.get('/health', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 15 })
  res.end('{"status":"ok"}')
})

/** Connections, each with the requests it has in flight: Node 4 cannot tell which of them are idle. */
const inFlight = new Map()
let stopping = false

const server = app.listen(port, host, backlog, () => {
  console.log(`listening on http://${host}:${server.address().port}`)
})
server.on('error', error => giveUp(`cannot listen on ${host}:${port}: ${error.message}`))
server.on('connection', socket => {
  // Without it Nagle's algorithm and the client's delayed acknowledgement hold the body of an answer back by 40 ms.
  if (noDelay) socket.setNoDelay(true)
  inFlight.set(socket, 0)
  socket.on('close', () => inFlight.delete(socket))
})
server.on('request', (req, res) => {
  const socket = req.socket
  inFlight.set(socket, inFlight.get(socket) + 1)
  res.on('finish', () => {
    if (!inFlight.has(socket)) return
    inFlight.set(socket, inFlight.get(socket) - 1)
    if (stopping && inFlight.get(socket) === 0) socket.destroySoon()
  })
})

function stop () {
  stopping = true
  server.close(() => process.exit(0))
  inFlight.forEach((requests, socket) => { if (requests === 0) socket.destroy() })
  setTimeout(() => process.exit(0), stopGraceMs).unref()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
