// Floors as Node.js makes them: bare node:http with busboy as multer uses it, or Express with multer as their tutorials do.
import { randomUUID } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const requireLikeTheServer = createRequire(new URL('../../../node-server/package.json', import.meta.url))
const express = requireLikeTheServer('express')
const multer = requireLikeTheServer('multer')
const busboy = createRequire(requireLikeTheServer.resolve('multer'))('busboy')
const [kind, pageFile] = process.argv.slice(2)
const folder = process.env.UPLOAD_DIR

const listeners = {
  parse (request, response) {
    const form = busboy({ headers: request.headers })
    form.on('file', (name, file) => store(file, response))
    request.pipe(form)
  },
  raw (request, response) {
    store(request, response)
  },
  express: tutorial()
}

function tutorial () {
  const storage = multer.diskStorage({
    destination: folder,
    filename: (request, file, done) => done(null, randomUUID())
  })
  const app = express()
  app.post('/getimages', multer({ storage }).single('avatar'), (request, response) => answer(response))
  return app
}

function store (content, response) {
  content.pipe(createWriteStream(join(folder, randomUUID()))).on('close', () => answer(response))
}

function answer (response) {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length })
  response.end(page)
}

if (kind === 'versions') {
  console.log(JSON.stringify({ node: process.versions.node }))
  process.exit()
}

const page = readFileSync(pageFile)
const server = http.createServer((request, response) => {
  if (request.method === 'POST') listeners[kind](request, response)
  else answer(response)
})
server.listen(Number(process.env.PORT), process.env.HOST)
