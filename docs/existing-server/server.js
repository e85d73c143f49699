// A Fastify app as the guide of @fastify/multipart shows it; it knows nothing of the lab.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import Fastify from 'fastify'

const fastify = Fastify()
fastify.register(multipart, { limits: { fileSize: 100_000_000 } })

fastify.post('/api/files', async (req, reply) => {
  const data = await req.file()
  const id = randomUUID()
  await pipeline(data.file, createWriteStream(join(process.env.STORAGE, id)))
  reply.code(201)
  return { id, name: data.filename, type: data.mimetype }
})

await fastify.listen({ port: Number(process.env.APP_PORT), host: '127.0.0.1' })
