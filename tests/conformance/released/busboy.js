// As busboy's README writes it: every file piped to a file, the answer when busboy has closed.
const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const busboy = require('busboy')

http.createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(404).end()
  // Version 0.3 is a class, 1.x a function.
  const parser = busboy.name === 'Busboy' ? new busboy({ headers: request.headers }) : busboy({ headers: request.headers })
  parser.on('file', (name, file) => file.pipe(fs.createWriteStream(path.join(process.env.UPLOAD_DIR, randomUUID()))))
  const end = () => response.writeHead(201, { Connection: 'close' }).end()
  parser.on('finish', end)
  request.pipe(parser)
}).listen(Number(process.env.PORT), '127.0.0.1')
