// Manners of a connection, which Node leaves to the application: requests one after the other, an error answered so
// that the client can read it, and an end that cuts nobody off.
import { ERRORS, UploadError } from './errors.js'

/** @import { IncomingMessage, RequestListener, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { ErrorCode } from './errors.js' */

/** How long a client that has been answered and has nothing left to send may take to close its side. */
const LINGER_MS = 1000

/**
 * @typedef {object} Body what must be known of a body to see that it comes too slowly
 * @property {number} receivedBytes
 * @property {boolean} isHeldBack true while it is us who do not read, not the client who does not send
 * @property {(error: UploadError) => void} fail gives it up, so that its request is refused
 */

/**
 * @typedef {object} State of one connection
 * @property {ServerResponse | undefined} current the answer being made
 * @property {{ req: IncomingMessage, begin: () => void }[]} waiting requests behind it
 * @property {number} requests begun so far
 * @property {Body | undefined} body of the request being answered, when it is used
 * @property {number} drainedBytes of a body that is not used
 * @property {number} waitedMs for that body, in all
 * @property {boolean} isUnreadable true when the HTTP parser cannot read on
 * @property {number} drainLimit of bytesRead; infinite until the connection is ending
 */

export class Connections {
  #maxDrainBytes
  #idleTimeoutMs
  #minBodyBytesPerS
  #keepAliveRequests
  #stopping = false
  /** @type {Map<Socket, State>} */
  #states = new Map()
  /** @type {WeakSet<IncomingMessage>} */
  #invited = new WeakSet()

  /**
   * @param {object} limits
   * @param {number} limits.maxDrainBytes most that is read and thrown away after an error
   * @param {number} limits.idleTimeoutMs longest wait for the next of these bytes
   * @param {number} limits.minBodyBytesPerS slowest that a body may come after that time; 0 is no limit
   * @param {number} limits.keepAliveRequests requests answered on one connection; 0 is no limit
   */
  constructor ({ maxDrainBytes, idleTimeoutMs, minBodyBytesPerS, keepAliveRequests }) {
    this.#maxDrainBytes = maxDrainBytes
    this.#idleTimeoutMs = idleTimeoutMs
    this.#minBodyBytesPerS = minBodyBytesPerS
    this.#keepAliveRequests = keepAliveRequests || Infinity
    if (minBodyBytesPerS > 0) this.#cutSlowBodies()
  }

  /** @param {Socket} socket */
  add (socket) {
    this.#states.set(socket, {
      current: undefined,
      waiting: [],
      requests: 0,
      body: undefined,
      drainedBytes: 0,
      waitedMs: 0,
      isUnreadable: false,
      drainLimit: Infinity
    })
    socket.on('close', () => this.#states.delete(socket))
  }

  /**
   * Wraps an application so that it sees the requests of a connection one after the other, and none behind one that
   * failed: Node hands over pipelined requests at once.
   * @param {RequestListener} app
   * @returns {RequestListener}
   */
  inTurn (app) {
    return (req, res) => {
      const state = this.#states.get(req.socket)
      if (state === undefined) return
      const begin = () => {
        state.current = res
        state.body = undefined
        state.drainedBytes = state.waitedMs = 0
        if (this.#stopping || ++state.requests >= this.#keepAliveRequests) res.setHeader('Connection', 'close')
        app(req, res)
      }
      if (isEnding(state)) this.#readAway(req, state)
      else if (!isAnswering(state)) begin()
      else this.#wait(state, { req, begin })
    }
  }

  /**
   * Takes notice of a body that is wanted, and asks a client that waits for it to send it.
   * @param {IncomingMessage} req
   * @param {ServerResponse} res
   * @param {Body} body
   */
  expectBody (req, res, body) {
    const state = this.#states.get(req.socket)
    if (state !== undefined) state.body = body
    if (!expectsContinue(req)) return
    this.#invited.add(req)
    res.writeContinue()
  }

  /**
   * Answers an error and ends the connection. The answer goes out at once, but the rest of the request is read away
   * before the end: closing with unread bytes would reset the connection before the client has seen the answer.
   * @param {IncomingMessage} req
   * @param {ServerResponse} res
   * @param {ErrorCode} code
   * @param {Record<string, string>} [headers]
   */
  refuse (req, res, code, headers) {
    const socket = req.socket
    if (res.headersSent || !socket.writable) return
    const { status, text, length } = answerOf(code)
    res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, Connection: 'close', ...headers })
    if (req.method === 'HEAD') res.flushHeaders()
    else res.write(text)
    const isComing = !req.complete && code !== 'request_timeout' && !this.#states.get(socket)?.isUnreadable &&
      (!expectsContinue(req) || this.#invited.has(req))
    this.#end(socket, isComing ? req : undefined)
  }

  /**
   * Answers what the HTTP parser refused, unless something is being answered already, and ends the connection.
   * @param {Socket} socket
   * @param {ErrorCode} code
   */
  refuseUnparsed (socket, code) {
    const state = this.#states.get(socket)
    if (state === undefined || socket.bytesRead > state.drainLimit) {
      socket.destroy()
    } else if (isEnding(state) || !socket.writable) {
      socket.end() // it has its answer, and where the rest of it ends cannot be told any more
    } else if (isAnswering(state) && state.current?.req.complete) {
      state.current.once('close', () => this.refuseUnparsed(socket, code))
    } else if (isAnswering(state) && state.body) {
      state.isUnreadable = true
      state.body.fail(new UploadError(code)) // the answer follows when nothing is left of the files
    } else {
      const { status, text, length } = answerOf(code)
      socket.write(`HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n` +
        `Connection: close\r\n\r\n${text}`)
      this.#end(socket)
    }
  }

  /** From now on every answer is the last one of its connection. */
  stop () {
    this.#stopping = true
    for (const [socket, state] of this.#states) {
      if (isAnswering(state)) {
        if (!state.current?.headersSent) state.current?.setHeader('Connection', 'close')
      } else if (socket.bytesRead === 0) {
        socket.destroy() // Node counts a connection that has not said a word as a request in flight
      }
    }
  }

  /**
   * @param {State} state
   * @param {State['waiting'][number]} request
   */
  #wait (state, request) {
    state.waiting.push(request)
    if (state.waiting.length > 1) return
    const next = () => {
      if (isEnding(state)) return
      state.waiting.shift()?.begin()
      if (state.waiting.length > 0) state.current?.once('close', next)
    }
    state.current?.once('close', next)
  }

  /**
   * @param {Socket} socket
   * @param {IncomingMessage} [req] whose body is still coming
   */
  #end (socket, req) {
    const state = /** @type {State} */ (this.#states.get(socket))
    state.drainLimit = socket.bytesRead + this.#maxDrainBytes
    for (const waiting of state.waiting) this.#readAway(waiting.req, state)
    socket.on('timeout', () => socket.destroy())
    const finish = () => {
      socket.end()
      socket.setTimeout(Math.min(LINGER_MS, this.#idleTimeoutMs))
    }
    if (req === undefined) return finish()
    socket.setTimeout(this.#idleTimeoutMs)
    req.on('end', finish)
    this.#readAway(req, state)
  }

  /**
   * @param {IncomingMessage} req
   * @param {State} state
   */
  #readAway (req, state) {
    req.on('data', chunk => {
      state.drainedBytes += chunk.length
      if (req.socket.bytesRead > state.drainLimit) req.socket.destroySoon()
    })
  }

  /** Looks after every connection now and then: a look at every read would cost good clients more. */
  #cutSlowBodies () {
    const intervalMs = Math.min(this.#idleTimeoutMs, 1000)
    setInterval(() => {
      for (const [socket, state] of this.#states) this.#cutSlowBody(socket, state, intervalMs)
    }, intervalMs).unref()
  }

  /**
   * @param {Socket} socket
   * @param {State} state
   * @param {number} waitedMs since the last look; when it comes late, it is us who were held up
   */
  #cutSlowBody (socket, state, waitedMs) {
    const { current, body, drainedBytes } = state
    if (current === undefined || current.req.complete || body?.isHeldBack) return
    state.waitedMs += waitedMs
    const receivedBytes = (body?.receivedBytes ?? 0) + drainedBytes
    if (state.waitedMs <= this.#idleTimeoutMs + receivedBytes / this.#minBodyBytesPerS * 1000) return
    if (body === undefined || isEnding(state)) socket.destroy()
    else body.fail(new UploadError('request_timeout'))
  }
}

/**
 * True when a client waits to be asked for the body; HTTP/1.0 knows no such thing.
 * @param {IncomingMessage} req
 */
function expectsContinue (req) {
  return req.headers.expect !== undefined && req.httpVersion === '1.1'
}

/** @param {State} state */
function isEnding (state) {
  return state.drainLimit !== Infinity
}

/** @param {State} state */
function isAnswering (state) {
  return state.current !== undefined && !state.current.closed
}

/** @param {ErrorCode} code */
function answerOf (code) {
  const { status, message } = ERRORS[code]
  const text = JSON.stringify({ error: { code, message } })
  return { status, text, length: Buffer.byteLength(text) }
}
