// https://github.com/fastify/fastify-multipart#usage (read 2026-11-27): req.file() and a pipeline to the disk. Added: a name by UUID, and
// what fails is removed.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { randomUUID } from 'node:crypto'
import multipart from '@fastify/multipart'
import createFastify from 'fastify'

const { HOST = '127.0.0.1', PORT = '8080', UPLOAD_DIR, BACKLOG = '511', KEEP_ALIVE_TIMEOUT_MS = '60000' } = process.env
const fastify = createFastify({ keepAliveTimeout: Number(KEEP_ALIVE_TIMEOUT_MS) })
fastify.register(multipart, { limits: { fileSize: 200 * 1024 * 1024 } })

fastify.post('/upload', async (req, reply) => {
  const data = await req.file()
  if (!data) return reply.code(400).send({ error: 'no file' })
  const path = join(UPLOAD_DIR, randomUUID())
  try {
    await pipeline(data.file, createWriteStream(path))
    if (data.file.truncated) throw new fastify.multipartErrors.RequestFileTooLargeError()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return { stored: 1 }
})

await fastify.listen({ host: HOST, port: Number(PORT), backlog: Number(BACKLOG) })
process.on('SIGTERM', () => {
  fastify.close()
  setTimeout(() => fastify.server.closeAllConnections(), 5000).unref()
})
