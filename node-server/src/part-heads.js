// Looks at the headers of each part for what busboy lets pass: an extended file name without a value, which it takes
// for no name at all, so that a file could be lost as a text field.
import { UploadError } from './errors.js'

const HEAD_END = '\r\n\r\n'

/** More than busboy accepts: what is longer has been refused by it. */
const MAX_HEAD_BYTES = 17 * 1024

/**
 * Quoted strings are stepped over: a name may hold anything. Nothing in it crosses a line, and no two alternatives
 * match the same character, so that a hostile head costs no more than its length.
 */
const EMPTY_EXTENDED_NAME = /^content-disposition:(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*?;[ \t]*filename\*=[^;"'\n]*'[^;"'\n]*'[ \t]*(?:;|$)/im

export class PartHeads {
  /** Of the part whose headers are not complete yet. @type {string | undefined} */
  #head
  /** Its last characters: they may be the start of its end. */
  #last = ''

  /**
   * @param {Buffer} chunk the next piece of the body
   * @param {number[]} starts offsets in it where headers start
   * @throws {UploadError} when a part has an empty extended file name
   */
  check (chunk, starts) {
    if (this.#head !== undefined) this.#read(chunk, 0)
    for (const start of starts) {
      this.#head = this.#last = ''
      this.#read(chunk, start)
    }
  }

  /**
   * @param {Buffer} chunk
   * @param {number} start
   */
  #read (chunk, start) {
    const found = chunk.indexOf(HEAD_END, start, 'latin1')
    const text = chunk.toString('latin1', start, Math.min(found === -1 ? chunk.length : found, start + MAX_HEAD_BYTES))
    const seam = this.#last + text.slice(0, HEAD_END.length)
    this.#head += text
    this.#last = (this.#last + text.slice(1 - HEAD_END.length)).slice(1 - HEAD_END.length)
    if (found !== -1 || seam.includes(HEAD_END)) this.#judge()
    else if (/** @type {string} */ (this.#head).length > MAX_HEAD_BYTES) this.#head = undefined
  }

  #judge () {
    const unfolded = /** @type {string} */ (this.#head).replaceAll(/\r\n(?=[ \t])/g, '')
    const [head] = unfolded.split(HEAD_END, 1)
    this.#head = undefined
    if (EMPTY_EXTENDED_NAME.test(head.replaceAll('\r\n', '\n'))) throw new UploadError('malformed_multipart')
  }
}
