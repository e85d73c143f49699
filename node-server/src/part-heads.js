// Looks at the headers of each part for what busboy lets pass: extended values (RFC 8187) that are none. It takes an
// extended file name without a value for no name at all, so that a file could be lost as a text field.
import { UploadError } from './errors.js'

const HEAD_END = '\r\n\r\n'

/** More than busboy accepts: what is longer has been refused by it. */
const MAX_HEAD_BYTES = 17 * 1024

const DISPOSITION = /^content-disposition:.*$/im

/**
 * Quoted strings are stepped over: a name may hold anything. Nothing in it crosses a line, and no two alternatives
 * match the same character, so that a hostile head costs no more than its length.
 */
const BAD_EXTENDED_VALUE = /^content-disposition:(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*?;[ \t]*[^\s;="]*\*=(?![\w!#$%&+^`{}~-]+'[A-Za-z0-9-]*'(?:[\w!#$&+.^`|~-]|%[0-9A-Fa-f]{2})+[ \t]*(?:;|$))/i

export class PartHeads {
  /** Of the part whose headers are not complete yet. @type {string | undefined} */
  #head
  /** Its last characters: they may be the start of its end. */
  #last = ''

  /**
   * @param {Buffer} chunk the next piece of the body
   * @param {number[]} starts offsets in it where headers start
   * @throws {UploadError} when a part has an extended value that is not charset'language'value
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
    const text = /** @type {string} */ (this.#head)
    this.#head = undefined
    if (!text.includes('*')) return
    const unfolded = text.replaceAll(/\r\n(?=[ \t])/g, '')
    const [head] = unfolded.split(HEAD_END, 1)
    const [disposition] = DISPOSITION.exec(head.replaceAll('\r\n', '\n')) ?? [''] // of repeated headers the first counts
    if (BAD_EXTENDED_VALUE.test(disposition)) throw new UploadError('malformed_multipart')
  }
}
