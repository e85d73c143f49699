// https://hono.dev/examples/file-upload and https://hono.dev/docs/getting-started/nodejs (read 2026-11-27): the form is parsed into memory. Added:
// the file is written, under a UUID.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const { HOST = '127.0.0.1', PORT = '8080', UPLOAD_DIR, KEEP_ALIVE_TIMEOUT_MS = '60000' } = process.env
const app = new Hono()

app.post('/upload', async c => {
  const body = await c.req.parseBody().catch(() => ({}))
  const file = body.file
  if (!(file instanceof File)) return c.json({ error: 'no file' }, 400)
  const path = join(UPLOAD_DIR, randomUUID())
  try {
    await writeFile(path, file.stream())
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return c.json({ stored: 1 })
})

const server = serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) })
server.keepAliveTimeout = Number(KEEP_ALIVE_TIMEOUT_MS)
process.on('SIGTERM', () => {
  server.close()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
})
