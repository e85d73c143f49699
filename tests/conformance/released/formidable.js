// As formidable's README writes it, with uploadDir.
const http = require('node:http')
const load = async () => {
  const { default: formidable } = await import('formidable')
  http.createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(404).end()
    const form = formidable({ uploadDir: process.env.UPLOAD_DIR })
    try {
      await form.parse(request)
    } catch (error) {
      response.writeHead(error.httpCode || 400, { 'Content-Type': 'text/plain' })
      return response.end(String(error))
    }
    response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
  }).listen(Number(process.env.PORT), '127.0.0.1')
}
load()
