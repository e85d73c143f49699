// The least work for the same bytes, to compare the server with. "parse": busboy straight to a file on bare node:http;
// "raw": the body straight to a file, multipart framing and all. No checks, no limits, no hidden names.
import { randomUUID } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import http from 'node:http'
import { join } from 'node:path'

const requireLikeMulter = createRequire(createRequire(import.meta.url).resolve('multer'))
const busboy = requireLikeMulter('busboy')
const folder = /** @type {string} */ (process.env.UPLOAD_DIR)
const page = readFileSync(new URL('../page.html', import.meta.url))

const listeners = {
  /** @type {http.RequestListener} */
  parse (req, res) {
    const parser = busboy({ headers: req.headers })
    parser.on('file', (/** @type {string} */ name, /** @type {import('node:stream').Readable} */ file) => {
      file.pipe(createWriteStream(join(folder, randomUUID()))).on('close', () => answer(res))
    })
    req.pipe(parser)
  },
  /** @type {http.RequestListener} */
  raw (req, res) {
    req.pipe(createWriteStream(join(folder, randomUUID()))).on('close', () => answer(res))
  }
}

/** @param {http.ServerResponse} res */
function answer (res) {
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length })
  res.end(page)
}

const kind = /** @type {keyof typeof listeners} */ (process.argv[2])
const server = http.createServer(listeners[kind]).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(`listening on http://127.0.0.1:${port}`)
})
