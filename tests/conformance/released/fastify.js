// As the README of @fastify/multipart writes it: request.file() and pipeline into a file.
const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const fastify = require('fastify')()

fastify.register(require('@fastify/multipart'))
fastify.post('/api/files', async function (request, reply) {
  const data = await request.file()
  await pipeline(data.file, fs.createWriteStream(path.join(process.env.UPLOAD_DIR, randomUUID())))
  reply.code(201).send()
})
fastify.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
