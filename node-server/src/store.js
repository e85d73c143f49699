// Keeps files: a multer storage engine. Bytes go to a hidden name in the upload folder; a file gets its own name
// only when the whole request has turned out good, so a crash leaves nothing that looks like an upload.
import { close, open, readdirSync, rename, rmSync, unlink, writev } from 'node:fs'
import { join } from 'node:path'
import { v4 as uuid } from 'uuid'
import { UploadError } from './errors.js'

/** @import { Readable } from 'node:stream' */

/**
 * @typedef {object} KeptFile what the store adds to multer's description of a file
 * @property {string} filename the UUID it is published under
 * @property {string} path where its bytes are now
 * @property {number} size bytes
 */

const INCOMPLETE = '.incomplete-'

/** Bytes collected before they are written; a smaller file is opened, written and closed in one go. */
const WRITE_BYTES = 128 * 1024

export class Store {
  #folder

  /** @param {string} folder exists and can be written */
  constructor (folder) {
    this.#folder = folder
  }

  /** Removes what an earlier process left incomplete. One folder belongs to one server. */
  removeIncomplete () {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith(INCOMPLETE)) rmSync(join(this.#folder, name))
    }
  }

  /**
   * Keeps one file under a hidden name (called by multer).
   * @param {unknown} req
   * @param {{ stream: Readable }} file
   * @param {(error: unknown, kept?: KeptFile) => void} done
   */
  _handleFile (req, file, done) {
    const filename = uuid()
    const path = join(this.#folder, INCOMPLETE + filename)
    const writer = new FileWriter(path, file.stream, error => {
      if (error) done(error)
      else done(null, { filename, path, size: writer.size })
    })
  }

  /**
   * Removes a kept file (called by multer when its request fails).
   * @param {unknown} req
   * @param {{ path: string }} file
   * @param {(error: Error | null) => void} done
   */
  _removeFile (req, file, done) {
    unlink(file.path, done)
  }

  /**
   * Gives every file of a good request its final name; all of them or none.
   * @param {KeptFile[]} files
   * @param {(error: Error | null) => void} done
   */
  publish (files, done) {
    let left = files.length
    /** @type {Error | null} */
    let failure = null
    for (const file of files) {
      const path = join(this.#folder, file.filename)
      rename(file.path, path, error => {
        if (error) failure ??= error
        else file.path = path
        if (--left > 0) return
        if (failure) this.removeAll(files, () => done(failure))
        else done(null)
      })
    }
  }

  /**
   * Removes every file of a request that turned out bad.
   * @param {KeptFile[]} files
   * @param {() => void} done
   */
  removeAll (files, done) {
    let left = files.length
    if (left === 0) return done()
    for (const file of files) unlink(file.path, () => { if (--left === 0) done() })
  }
}

/** Writes one stream to one new file, in few large writes, and leaves no file when it fails. */
class FileWriter {
  size = 0
  #path
  #stream
  #done
  /** @type {Buffer[]} */
  #pending = []
  #pendingBytes = 0
  #fd = -1
  #busy = false
  #ended = false
  /** @type {unknown} */
  #failure

  /**
   * @param {string} path
   * @param {Readable} stream of busboy: emits "limit" when the file is larger than allowed
   * @param {(error?: unknown) => void} done called once, when nothing of the file is open any more
   */
  constructor (path, stream, done) {
    this.#path = path
    this.#stream = stream
    this.#done = done
    stream.on('data', chunk => this.#collect(chunk))
    stream.on('end', () => this.#end())
    stream.on('limit', () => this.#fail(new UploadError('file_too_large')))
    stream.on('error', error => this.#fail(error))
    stream.on('close', () => { if (!this.#ended) this.#fail(new UploadError('malformed_multipart')) })
  }

  /** @param {Buffer} chunk */
  #collect (chunk) {
    if (this.#failure) return
    this.size += chunk.length
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

  /** Takes the next step towards a closed file; runs again when that step is done. */
  #advance () {
    this.#busy = true
    if (this.#failure) this.#giveUp()
    else if (this.#fd === -1) this.#open()
    else if (this.#pending.length > 0) this.#write()
    else if (this.#ended) this.#close()
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
      if (error) this.#failure ??= error
      const rest = error ? [] : unwritten(buffers, written)
      if (rest.length > 0) this.#writeAll(rest)
      else this.#advance()
    })
  }

  #close () {
    close(this.#fd, error => {
      this.#fd = -1
      if (!error) return this.#done()
      this.#failure = error
      this.#giveUp()
    })
  }

  #giveUp () {
    this.#pending = []
    this.#stream.resume()
    if (this.#fd === -1) return this.#remove()
    close(this.#fd, () => this.#remove())
  }

  #remove () {
    unlink(this.#path, () => this.#done(this.#failure))
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
