// The application: which path and method is answered by what.
import express from 'express'
import { uploadHandler } from './upload.js'

/** @import { Config } from './config.js' */
/** @import { Connections } from './connections.js' */
/** @import { Store } from './store.js' */

const HEALTH = '{"status":"ok"}'
const HEALTH_HEADERS = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(HEALTH) }

/**
 * @param {Config} config
 * @param {Store} store
 * @param {Connections} connections
 * @returns {express.Express}
 */
export function createApp (config, store, connections) {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)

  app.post('/getimages', uploadHandler(config, store, connections))
  app.all('/getimages', (req, res) => connections.refuse(req, res, 'method_not_allowed', { Allow: 'POST' }))
  app.get('/health', (req, res) => { res.writeHead(200, HEALTH_HEADERS).end(HEALTH) })
  app.all('/health', (req, res) => connections.refuse(req, res, 'method_not_allowed', { Allow: 'GET, HEAD' }))
  app.use((req, res) => connections.refuse(req, res, 'not_found'))

  app.use(failure)
  return app

  /**
   * What no handler expected. Express knows an error handler by its four parameters.
   * @param {unknown} error
   * @param {express.Request} req
   * @param {express.Response} res
   * @param {express.NextFunction} next
   */
  function failure (error, req, res, next) {
    console.error(error)
    if (res.headersSent) next(error)
    else connections.refuse(req, res, 'internal_error')
  }
}
