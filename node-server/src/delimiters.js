// Finds the delimiters of a multipart body on its way to busboy, which drops a part without a word when anything but
// a line end follows a delimiter, and reads on behind the final one when that comes in the same piece.
import { UploadError } from './errors.js'

const CR = 13
const LF = 10
const DASH = 45

export class Delimiters {
  /** Parts begun so far. */
  parts = 0
  /** Where in the last piece the headers of a part start. @type {number[]} */
  headStarts = []
  /** True once the final delimiter has been seen. */
  ended = false

  #needle
  #maxParts
  /** The last bytes seen: they may be the start of a delimiter. The first one needs no line end before it. */
  #tail = Buffer.from('\r\n')

  /**
   * @param {string} boundary
   * @param {number} maxParts
   */
  constructor (boundary, maxParts) {
    this.#needle = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#maxParts = maxParts
  }

  /**
   * Looks at the next piece of the body.
   * @param {Buffer} chunk
   * @returns {number} how many of its bytes belong to the form; what follows the final delimiter does not
   * @throws {UploadError} when a delimiter is followed by something else than a line end or "--"
   */
  scan (chunk) {
    const overlap = this.#needle.length + 1 // a delimiter and the two bytes behind it, less one
    const seam = Buffer.concat([this.#tail, chunk.subarray(0, overlap)])
    this.headStarts = []
    const seamEnd = this.#search(seam, this.#tail.length, this.#tail.length)
    if (seamEnd !== -1) return seamEnd - this.#tail.length
    const end = this.#search(chunk, chunk.length, 0)
    if (end !== -1) return end
    const last = chunk.length >= overlap ? chunk : seam
    this.#tail = Buffer.from(last.subarray(-overlap))
    return chunk.length
  }

  /**
   * Judges every whole delimiter that starts before an offset.
   * @param {Buffer} bytes
   * @param {number} before
   * @param {number} shift how many of the bytes come before the piece
   * @returns {number} offset behind the final delimiter, or -1
   */
  #search (bytes, before, shift) {
    const needle = this.#needle
    let start = bytes.indexOf(needle)
    while (start !== -1 && start < before && start + needle.length + 2 <= bytes.length) {
      const after = start + needle.length
      if (bytes[after] === DASH && bytes[after + 1] === DASH) {
        this.ended = true
        return after + 2
      }
      if (bytes[after] !== CR || bytes[after + 1] !== LF) throw new UploadError('malformed_multipart')
      if (++this.parts > this.#maxParts) throw new UploadError('too_many_parts')
      this.headStarts.push(after + 2 - shift)
      start = bytes.indexOf(needle, after)
    }
    return -1
  }
}
