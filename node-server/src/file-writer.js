// Writes one stream to one new file: in few large writes, because every call costs a trip to another thread, and with
// the memory of what is written given back at once.
import { close, open, unlink, writev } from 'node:fs'
import { UploadError } from './errors.js'

/** @import { Readable } from 'node:stream' */

/** Bytes collected before they are written. A smaller file is opened when all of it is there, and takes one write. */
const WRITE_BYTES = 128 * 1024

export class FileWriter {
  #path
  #stream
  #onWritten
  /** Collected and not yet being written. @type {Buffer[]} */
  #pending = []
  #pendingBytes = 0
  #fd = -1
  /** A call is under way, or nothing is left to do. */
  #busy = false
  #ended = false
  #closed = false
  /** @type {unknown} */
  #failure
  /** @type {((error: unknown) => void) | undefined} */
  #onClosed

  /**
   * @param {string} path of the file, which must not exist
   * @param {Readable} stream of busboy: it emits "limit" when the file is larger than allowed
   * @param {(error?: unknown) => void} onWritten called once: all bytes are in the file, or nothing of it is left
   */
  constructor (path, stream, onWritten) {
    this.#path = path
    this.#stream = stream
    this.#onWritten = onWritten
    stream.on('data', chunk => this.#collect(chunk))
    stream.on('end', () => this.#end())
    stream.on('limit', () => this.#fail(new UploadError('file_too_large')))
    stream.on('error', error => this.#fail(error))
    stream.on('close', () => { if (!this.#ended) this.#fail(new UploadError('malformed_multipart')) })
  }

  /**
   * Calls back when the file that has been written is closed.
   * @param {(error: unknown) => void} done
   */
  whenClosed (done) {
    if (this.#closed) done(this.#failure)
    else this.#onClosed = done
  }

  /** @param {Buffer} chunk */
  #collect (chunk) {
    if (this.#failure) return
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes < WRITE_BYTES) return
    if (this.#busy) this.#stream.pause()
    else this.#advance()
  }

  #end () {
    this.#ended = true
    if (!this.#busy) this.#advance()
  }

  /** @param {unknown} error */
  #fail (error) {
    if (this.#failure || this.#ended) return
    this.#failure = error
    if (!this.#busy) this.#advance()
  }

  /** Takes the next step towards a closed file, and comes back when it is done. */
  #advance () {
    this.#busy = true
    if (this.#failure) this.#giveUp()
    else if (this.#fd === -1) this.#open()
    else if (this.#pending.length > 0) this.#write()
    else if (this.#ended) this.#finish()
    else this.#busy = false
  }

  #open () {
    open(this.#path, 'wx', 0o666, (error, fd) => {
      if (error) this.#failure ??= error
      else this.#fd = fd
      this.#advance()
    })
  }

  #write () {
    const buffers = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    if (this.#stream.isPaused()) this.#stream.resume()
    this.#writeAll(buffers)
  }

  /** @param {Buffer[]} buffers */
  #writeAll (buffers) {
    writev(this.#fd, buffers, null, (error, written) => {
      if (error) {
        this.#failure ??= error
        return this.#advance()
      }
      const rest = unwritten(buffers, written)
      if (rest.length > 0) return this.#writeAll(rest)
      buffers.forEach(release)
      this.#advance()
    })
  }

  #finish () {
    close(this.#fd, error => {
      this.#closed = true
      this.#failure = error
      this.#onClosed?.(error)
    })
    this.#onWritten() // the file can be renamed while it is being closed
  }

  #giveUp () {
    this.#pending = []
    this.#stream.resume()
    if (this.#fd === -1) return this.#onWritten(this.#failure)
    close(this.#fd, () => unlink(this.#path, () => this.#onWritten(this.#failure)))
  }
}

/**
 * What is left of some buffers after a write took fewer bytes than offered.
 * @param {Buffer[]} buffers
 * @param {number} written bytes
 * @returns {Buffer[]}
 */
function unwritten (buffers, written) {
  let index = 0
  while (index < buffers.length && written >= buffers[index].length) written -= buffers[index++].length
  const rest = buffers.slice(index)
  if (rest.length > 0) rest[0] = rest[0].subarray(written)
  return rest
}

/**
 * Gives the memory of a piece of the body back now. V8 sees how small its objects are, not what they hold, and would
 * let tens of megabytes pile up before it collects them. A piece that shares its memory with another is left alone.
 * @param {Buffer} piece
 */
function release ({ buffer, byteLength }) {
  if (byteLength === buffer.byteLength) /** @type {ArrayBuffer} */ (buffer).transfer(0)
}
