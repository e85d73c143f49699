// The process: reads its settings, listens, stops on a signal.
import { accessSync, constants } from 'node:fs'
import { createApp } from './app.js'
import { ConfigError, readConfig } from './config.js'
import { Connections } from './connections.js'
import { createHttpServer } from './http-server.js'
import { Store } from './store.js'

/** @import { AddressInfo } from 'node:net' */

/**
 * Ends the process with one sentence on standard error.
 * @param {string} sentence
 * @returns {never}
 */
function give (sentence) {
  console.error(`node-server: ${sentence}`)
  process.exit(2)
}

function start () {
  const config = readConfig(process.env)
  const store = new Store(config.uploadDir)
  try {
    accessSync(config.uploadDir, constants.W_OK | constants.X_OK)
    store.removeIncomplete()
  } catch (error) {
    throw new ConfigError(`UPLOAD_DIR is ${config.uploadDir}; expected a folder that exists and can be written (${/** @type {Error} */ (error).message})`)
  }
  const connections = new Connections(config)
  const server = createHttpServer(config, connections, createApp(config, store, connections))
  server.on('error', error => give(`cannot listen on ${config.host}:${config.port}: ${error.message}`))
  server.listen({ host: config.host, port: config.port, backlog: config.backlog }, () => {
    const { port } = /** @type {AddressInfo} */ (server.address())
    console.log(`listening on http://${config.host}:${port}`)
  })

  const stop = () => {
    server.close()
    connections.stop()
    setTimeout(() => server.closeAllConnections(), config.stopGraceMs).unref()
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

try {
  start()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  give(error.message)
}
