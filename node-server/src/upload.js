// POST /getimages: checks the request, lets multer take it apart, answers the page.
import { readFileSync } from 'node:fs'
import multer from 'multer'
import { boundaryOf, isMultipartFormData } from './content-type.js'
import { UploadError, codeOf } from './errors.js'
import { RequestBody } from './request-body.js'

/** @import { IncomingMessage, RequestListener, ServerResponse } from 'node:http' */
/** @import { Config } from './config.js' */
/** @import { Connections } from './connections.js' */
/** @import { KeptFile, Store } from './store.js' */

const FIELD = 'avatar'
const MAX_FILES = 2
const MAX_FIELD_BYTES = 64 * 1024

/** More than a read from the network, so that only a slow disk holds a client back. */
const PARSER_BUFFER_BYTES = 128 * 1024

const PAGE = readFileSync(new URL('../page.html', import.meta.url), 'utf8')
const PAGE_HEADERS = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(PAGE) }

/**
 * @param {Config} config
 * @param {Store} store
 * @param {Connections} connections
 * @returns {RequestListener}
 */
export function uploadHandler (config, store, connections) {
  const parse = multer(/** @type {any} */ ({ // streamHandler and highWaterMark are missing in the types
    storage: store,
    limits: { fileSize: config.maxFileBytes, fieldSize: MAX_FIELD_BYTES },
    preservePath: true, // a file may have any name: it is not used as one
    defParamCharset: 'utf8',
    fileFilter: acceptFile,
    streamHandler: (/** @type {RequestBody} */ body, /** @type {any} */ parser) => body.feed(parser),
    highWaterMark: PARSER_BUFFER_BYTES
  })).any()

  return (req, res) => {
    const type = req.headers['content-type']
    if (type === undefined || !isMultipartFormData(type)) return refuse('unsupported_media_type')
    const boundary = boundaryOf(type)
    if (boundary === undefined) return refuse('malformed_multipart')
    if (Number(req.headers['content-length']) > config.maxRequestBytes) return refuse('request_too_large')

    const body = new RequestBody(req, boundary, config.maxRequestBytes)
    connections.expectBody(req, res, body)
    res.on('timeout', () => {
      if (body.isHeldBack) req.setTimeout(config.idleTimeoutMs)
      else body.fail(new UploadError('request_timeout'))
    })
    parse(/** @type {any} */ (body), /** @type {any} */ (res), (/** @type {unknown} */ error) => {
      body.discard()
      if (error) return store.whenClean(body, () => refuse(codeOf(error)))
      const files = /** @type {KeptFile[]} */ (body.files)
      const wrong = wrongWith(body, req)
      if (wrong) return store.removeAll(files, () => refuse(wrong))
      body.release()
      store.publish(files, error => error ? refuse(codeOf(error)) : answerPage(res))
    })

    /** @param {import('./errors.js').ErrorCode} code */
    function refuse (code) {
      connections.refuse(req, res, code)
    }
  }
}

/**
 * What multer does not object to.
 * @param {RequestBody} body
 * @param {IncomingMessage} req
 */
function wrongWith (body, req) {
  if (!body.isWhole) return 'malformed_multipart'
  if (body.files.length === 0) return 'no_file'
  if (!req.socket.writable) return 'request_timeout' // the client has gone: nobody would hear of the stored file
  return undefined
}

/**
 * multer's file filter: two files, in one field. The files counted include this one.
 * @param {any} body
 * @param {{ fieldname: string }} file
 * @param {(error: UploadError | null, accepted?: boolean) => void} done
 */
function acceptFile (body, file, done) {
  if (file.fieldname !== FIELD) done(new UploadError('unexpected_field'))
  else if (body.files.length > MAX_FILES) done(new UploadError('too_many_files'))
  else done(null, true)
}

/** @param {ServerResponse} res */
function answerPage (res) {
  res.writeHead(200, PAGE_HEADERS)
  res.end(PAGE)
}
