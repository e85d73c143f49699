// The body of one request on its way to multer: counted, checked at its delimiters, and held back while the disk is
// slow. Multer sees it in place of the request: given the request, it reads all of it before it reports an error.
import { EventEmitter } from 'node:events'
import { Delimiters } from './delimiters.js'
import { UploadError } from './errors.js'
import { PartHeads } from './part-heads.js'

/** @import { IncomingMessage } from 'node:http' */
/** @import { Writable } from 'node:stream' */

const MAX_PARTS = 100

export class RequestBody extends EventEmitter {
  // What multer looks at in a request.
  headers
  readable = false
  destroyed = false
  readableEnded = false

  /** Bytes of it so far, as long as there is a use for them. */
  receivedBytes = 0

  /** Files that multer has found so far. @type {unknown[]} */
  files = []

  // What the store notes about it.
  filesUnderWay = 0
  /** @type {(() => void) | undefined} */
  onClean

  #req
  #maxBytes
  #delimiters
  #heads = new PartHeads()
  #parsedParts = 0
  /** Memory of the pieces that hold a delimiter: parts share them. @type {ArrayBuffer[]} */
  #shared = []
  /** Where the bytes go; undefined when there is no use for them any more. @type {Writable | undefined} */
  #parser

  /**
   * @param {IncomingMessage} req
   * @param {string} boundary
   * @param {number} maxBytes largest body accepted
   */
  constructor (req, boundary, maxBytes) {
    super()
    this.headers = { 'content-type': `multipart/form-data; boundary="${boundary}"`, 'transfer-encoding': 'chunked' }
    this.#req = req
    this.#maxBytes = maxBytes
    this.#delimiters = new Delimiters(boundary, MAX_PARTS)
  }

  /**
   * Feeds busboy (called by multer, once).
   * @param {Writable} parser
   */
  feed (parser) {
    const req = this.#req
    this.#parser = parser
    parser.on('file', () => { this.#parsedParts++ })
    // Text fields are ignored. Multer would unfold their names into objects: one small request with a huge index in
    // a name would stop the process for minutes.
    parser.removeAllListeners('field')
    parser.on('field', (name, value, { valueTruncated }) => {
      this.#parsedParts++
      if (name === undefined) this.fail(new UploadError('malformed_multipart'))
      else if (valueTruncated) this.fail(new UploadError('field_too_large'))
    })
    parser.on('drain', () => req.resume())
    req.on('data', chunk => this.#take(chunk))
    req.on('end', () => this.#end())
    req.on('close', () => { if (this.#parser !== undefined) this.fail(new UploadError('malformed_multipart')) })
    req.on('error', () => {}) // 'close' follows
  }

  /** True while it is us who do not read, not the client who does not send. */
  get isHeldBack () {
    return this.#req.complete || this.#req.isPaused()
  }

  /**
   * Gives the body up: multer cleans up and reports the error.
   * @param {UploadError} error
   */
  fail (error) {
    if (this.#parser === undefined) return
    this.discard()
    this.emit('error', error)
  }

  /** Throws away whatever comes from now on. */
  discard () {
    this.#parser = undefined
    this.#req.resume()
  }

  /** @param {Buffer<ArrayBuffer>} chunk */
  #take (chunk) {
    if (this.#parser === undefined) return
    this.receivedBytes += chunk.length
    if (this.receivedBytes > this.#maxBytes) return this.fail(new UploadError('request_too_large'))
    if (this.#delimiters.ended) return
    try {
      const end = this.#delimiters.scan(chunk)
      const { headStarts, ended } = this.#delimiters
      this.#heads.check(chunk, headStarts)
      if ((ended || headStarts.length > 0) && chunk.length === chunk.buffer.byteLength) this.#shared.push(chunk.buffer)
      const form = end === chunk.length ? chunk : chunk.subarray(0, end)
      const hasRoom = this.#parser.write(form)
      if (!hasRoom && this.#parser !== undefined) this.#req.pause() // a part of it may have been the end of the upload
    } catch (error) {
      this.fail(/** @type {UploadError} */ (error))
    }
  }

  #end () {
    const parser = this.#parser
    const { ended, parts } = this.#delimiters
    if (parser === undefined) return
    if (!ended || parts === 0) return this.fail(new UploadError('malformed_multipart'))
    this.#parser = undefined
    parser.end()
  }

  /** True when the parser has reported every part that began: it drops those it cannot read without a word. */
  get isWhole () {
    return this.#parsedParts === this.#delimiters.parts
  }

  /**
   * Gives back the memory of the pieces that no single file could give back. Only for a good request whose files are
   * all written: a write under way would go on reading from it.
   */
  release () {
    for (const memory of this.#shared) memory.transfer(0)
    this.#shared = []
  }

  unpipe () {}
  resume () {}
  read () { return null }
}
