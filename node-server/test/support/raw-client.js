// A client that sends exactly the bytes it is given, where others would tidy them up.
import net from 'node:net'
import { until } from './until.js'

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, string>} headers names in lower case
 * @property {string} body
 * @property {string | undefined} code of an error
 */

export class RawClient {
  #received = Buffer.alloc(0)
  /** The other side has ended, orderly or not. */
  closed = false
  /** @type {Error | undefined} */
  error

  /** @param {number} port @param {net.NetConnectOpts | {}} [options] */
  constructor (port, options = {}) {
    this.socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true, ...options })
    this.socket.setNoDelay(true)
    this.socket.on('data', chunk => { this.#received = Buffer.concat([this.#received, chunk]) })
    this.socket.on('end', () => { this.closed = true })
    this.socket.on('close', () => { this.closed = true })
    this.socket.on('error', error => { this.error = error })
  }

  /**
   * Opens a connection, sends, reads one answer, hangs up.
   * @param {number} port
   * @param {...(Buffer | string)} pieces
   * @returns {Promise<Answer>}
   */
  static async exchange (port, ...pieces) {
    const client = new RawClient(port)
    try {
      for (const piece of pieces) await client.send(piece)
      return await client.answer()
    } finally {
      client.hangUp()
    }
  }

  /**
   * Sends a request that is refused and waits for the orderly end of the connection.
   * @param {number} port
   * @param {...(Buffer | string)} pieces
   * @returns {Promise<Answer>} the one answer there is
   */
  static async refusal (port, ...pieces) {
    const client = new RawClient(port)
    try {
      for (const piece of pieces) await client.send(piece)
      const answer = await client.answer()
      await client.isClosed()
      if (client.received !== '' || client.error) throw new Error(`after the answer: ${client.error ?? JSON.stringify(client.received)}`)
      return answer
    } finally {
      client.hangUp()
    }
  }

  /**
   * Resolves when the kernel has taken the bytes, or there is nobody left to take them.
   * @param {Buffer | string} bytes
   * @returns {Promise<void>}
   */
  send (bytes) {
    return new Promise(resolve => { this.socket.write(bytes, () => resolve()) })
  }

  /** Everything received and not yet taken as an answer. */
  get received () {
    return this.#received.toString('latin1')
  }

  /**
   * Takes the next answer; waits for all of it.
   * @param {{ timeoutMs?: number, head?: boolean }} [options] head: the answer to HEAD, which has no body
   * @returns {Promise<Answer>}
   */
  async answer ({ timeoutMs = 5_000, head = false } = {}) {
    await until(() => this.#whole(head) !== undefined || this.closed, timeoutMs)
    const whole = this.#whole(head)
    if (whole === undefined) throw new Error(`no answer but ${JSON.stringify(this.received)}, then ${this.error ?? 'the end'}`)
    this.#received = this.#received.subarray(whole.end)
    return whole.answer
  }

  /** @param {boolean} head */
  #whole (head) {
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [statusLine, ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const headers = Object.fromEntries(lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }))
    const length = head || status < 200 ? 0 : Number(headers['content-length'])
    const end = headEnd + 4 + length
    if (this.#received.length < end) return undefined
    const body = this.#received.subarray(headEnd + 4, end).toString('utf8')
    const code = headers['content-type'] === 'application/json' && status >= 400 && !head ? JSON.parse(body).error.code : undefined
    return { end, answer: { status, headers, body, code } }
  }

  /** Waits until the server has closed. */
  async isClosed (timeoutMs = 5_000) {
    await until(() => this.closed, timeoutMs)
  }

  hangUp () {
    this.socket.destroy()
  }
}
