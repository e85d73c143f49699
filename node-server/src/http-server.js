// Node's HTTP server with every limit, timeout and error of the protocol set in one place.
import http from 'node:http'

/** @import { IncomingMessage, RequestListener, Server } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Config } from './config.js' */
/** @import { Connections } from './connections.js' */
/** @import { ErrorCode } from './errors.js' */

/** Largest request head accepted. */
const MAX_HEAD_BYTES = 16 * 1024

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

  /** @param {ErrorCode} code @returns {RequestListener} */
  const refusal = code => (req, res) => connections.refuse(req, res, code)
  const badRequest = refusal('bad_request')
  const application = connections.inTurn((req, res) => {
    if (isWellFormed(req)) app(req, res)
    else badRequest(req, res)
  })
  server.on('connection', socket => connections.add(socket))
  server.on('request', application)
  server.on('checkContinue', application) // the upload handler asks for the body when it wants it
  server.on('checkExpectation', connections.inTurn(refusal('expectation_failed')))
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
function isWellFormed ({ headers, httpVersion }) {
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return false
  return headers.host !== undefined || httpVersion !== '1.1'
}
