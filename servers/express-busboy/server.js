// https://github.com/mscdex/busboy#examples (read 2026-11-27) in an Express handler: each file is piped to the disk. Added: names by
// UUID, the answer waits until the files are written, and what fails is removed.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { randomUUID } from 'node:crypto'
import busboy from 'busboy'
import express from 'express'

const { HOST = '127.0.0.1', PORT = '8080', UPLOAD_DIR, BACKLOG = '511', KEEP_ALIVE_TIMEOUT_MS = '60000' } = process.env
const app = express()

app.post('/upload', async (req, res, next) => {
  const written = []
  const paths = []
  try {
    const bb = busboy({ headers: req.headers })
    bb.on('file', (name, file) => {
      const saveTo = join(UPLOAD_DIR, randomUUID())
      paths.push(saveTo)
      const write = pipeline(file, createWriteStream(saveTo))
      write.catch(error => bb.destroy(error))
      written.push(write)
    })
    await pipeline(req, bb)
    await Promise.all(written)
    if (written.length === 0) throw new Error('no file')
    res.json({ stored: written.length })
  } catch (error) {
    await Promise.allSettled(written)
    await Promise.all(paths.map(path => rm(path, { force: true })))
    next(Object.assign(error, { status: error.syscall ? 500 : 400 }))
  }
})

const server = app.listen({ host: HOST, port: Number(PORT), backlog: Number(BACKLOG) })
server.keepAliveTimeout = Number(KEEP_ALIVE_TIMEOUT_MS)
process.on('SIGTERM', () => {
  server.close()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
})
