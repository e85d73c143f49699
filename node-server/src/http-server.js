// Node's HTTP server with every limit, timeout and error of the protocol set in one place.
import http from 'node:http'
import { isIPv6 } from 'node:net'

/** @import { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Config } from './config.js' */
/** @import { Connections } from './connections.js' */
/** @import { ErrorCode } from './errors.js' */

/** Largest request head accepted. */
const MAX_HEAD_BYTES = 16 * 1024

/** Node counts a head without what stands between names and values: with so few lines that does not matter. */
const FEW_LINES = 150

/** What a Host header names: a host as DNS has them or an address, and perhaps a port. RFC 3986 would take more names. */
const HOST = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*\.?|\[([\d.:a-f]*)\])(?::\d*)?$/i

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i

/** What the HTTP parser refuses; anything else is a bad request. */
const PARSER_CODES = new Map(/** @type {[string, ErrorCode][]} */ ([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout']
]))

/**
 * @param {Config} config
 * @param {Connections} connections
 * @param {RequestListener} app
 * @returns {Server}
 */
export function createHttpServer (config, connections, app) {
  const server = http.createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: config.keepAliveTimeoutMs,
    headersTimeout: config.idleTimeoutMs,
    requestTimeout: 0, // it limits the whole request and would cut off a slow but steady client
    connectionsCheckingInterval: Math.min(config.idleTimeoutMs, 1000),
    requireHostHeader: false // Node's own refusal would leave the body unread; ours follows
  })
  server.timeout = config.idleTimeoutMs // starts again with every read
  Object.assign(server, { httpAllowHalfOpen: true }) // a client that has said all it has to say still wants the answer

  /** @param {ErrorCode} code @returns {RequestListener} */
  const refusal = code => (req, res) => connections.refuse(req, res, code)
  const application = connections.inTurn((req, res) => {
    if (!isWellFormed(req)) connections.refuse(req, res, 'bad_request')
    else if (isTooLarge(req)) connections.refuse(req, res, 'headers_too_large')
    else app(req, res)
  })
  server.on('connection', socket => connections.add(socket))
  const unmet = connections.inTurn(refusal('expectation_failed'))
  server.on('request', application)
  server.on('checkContinue', (req, res) => { // the upload handler asks for the body when it wants it
    if (req.headers.expect?.trim().toLowerCase() !== '100-continue') return unmet(req, res) // Node looks for the word only
    if (!hasBody(req)) forgetExpectation(req, res)
    application(req, res)
  })
  server.on('checkExpectation', unmet)
  server.on('clientError', (error, socket) => {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error)
    connections.refuseUnparsed(/** @type {Socket} */ (socket), PARSER_CODES.get(code) ?? 'bad_request')
  })
  return server
}

/**
 * What Node's parser lets pass although nobody can say where such a request ends, or for whom it is.
 * @param {IncomingMessage} req
 */
function isWellFormed ({ headers, httpVersion, rawHeaders, url = '' }) {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return false
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0'
  if (!isHost(host) || isRepeated(rawHeaders, 'host')) return false
  const [, authority] = ABSOLUTE_FORM.exec(url) ?? []
  return authority === undefined || authority.toLowerCase() === host.toLowerCase()
}

/** @param {string} host may be empty, of a client that does not know it */
function isHost (host) {
  if (host === '') return true
  const found = HOST.exec(host)
  return found !== null && (found[1] === undefined || isIPv6(found[1]))
}

/** @param {IncomingMessage} req */
function hasBody ({ headers }) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Where there is no body nobody waits to be asked for it, but Node would close the connection after an answer without.
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 */
function forgetExpectation (req, res) {
  delete req.headers.expect
  Object.assign(res, { _expect_continue: false })
}

/**
 * @param {string[]} rawHeaders names and values in turn
 * @param {string} name in lower case
 */
function isRepeated (rawHeaders, name) {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === name.length && rawHeaders[i].toLowerCase() === name) count++
  }
  return count > 1
}

/** @param {IncomingMessage} req */
function isTooLarge ({ method = '', rawHeaders, url = '' }) {
  if (rawHeaders.length <= 2 * FEW_LINES) return false
  const betweenNameAndValue = ': \r\n'.length / 2
  const lines = rawHeaders.reduce((bytes, text) => bytes + text.length + betweenNameAndValue, 0)
  return `${method} ${url} HTTP/1.1\r\n\r\n`.length + lines > MAX_HEAD_BYTES
}
