// https://github.com/node-formidable/formidable#with-koa-and-formidable (read 2026-11-27). Added: the folder, and names by UUID.
import { randomUUID } from 'node:crypto'
import formidable, { errors } from 'formidable'
import Koa from 'koa'

const { HOST = '127.0.0.1', PORT = '8080', UPLOAD_DIR, BACKLOG = '511', KEEP_ALIVE_TIMEOUT_MS = '60000' } = process.env
const app = new Koa()

app.use(async ctx => {
  if (ctx.url !== '/upload' || ctx.method !== 'POST') return
  const form = formidable({
    uploadDir: UPLOAD_DIR,
    filename: () => randomUUID(),
    maxFileSize: 200 * 1024 * 1024,
    allowEmptyFiles: true,
    minFileSize: 0
  })
  try {
    const [, files] = await form.parse(ctx.req)
    ctx.assert(files.file, 400, 'no file')
    ctx.body = { stored: files.file.length }
  } catch (error) {
    ctx.throw(error.httpCode ?? error.status ?? (error.code in errors ? 400 : 500), error.message)
  }
})

const server = app.listen({ host: HOST, port: Number(PORT), backlog: Number(BACKLOG) })
server.keepAliveTimeout = Number(KEEP_ALIVE_TIMEOUT_MS)
process.on('SIGTERM', () => {
  server.close()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
})
