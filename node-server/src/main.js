// The process: reads its settings, listens, stops on a signal.
import { accessSync, constants } from 'node:fs'
import { createApp } from './app.js'
import { ConfigError, readConfig } from './config.js'
import { Connections } from './connections.js'
import { createHttpServer } from './http-server.js'
import { recordRuntimeMetrics } from './runtime-metrics.js'
import { Store } from './store.js'

/** @import { AddressInfo } from 'node:net' */

/**
 * Ends the process with one sentence on standard error.
 * @param {string} sentence
 * @returns {never}
 */
function giveUp (sentence) {
  console.error(`node-server: ${sentence}`)
  process.exit(2)
}

/**
 * @param {() => void} action on something the user named
 * @param {string} sentence when it fails
 */
function attempt (action, sentence) {
  try {
    action()
  } catch (error) {
    throw new ConfigError(`${sentence} (${/** @type {Error} */ (error).message})`)
  }
}

function start () {
  const config = readConfig(process.env)
  const store = new Store(config.uploadDir)
  attempt(() => {
    accessSync(config.uploadDir, constants.W_OK | constants.X_OK)
    store.removeIncomplete()
  }, `UPLOAD_DIR is ${JSON.stringify(config.uploadDir)}; expected a folder that exists and can be written`)
  const { runtimeMetricsFile } = config
  if (runtimeMetricsFile !== undefined) {
    attempt(() => recordRuntimeMetrics(runtimeMetricsFile),
      `RUNTIME_METRICS_FILE is ${JSON.stringify(runtimeMetricsFile)}; expected a file that can be appended to`)
  }
  const connections = new Connections(config)
  const server = createHttpServer(config, connections, createApp(config, store, connections))
  server.on('error', error => giveUp(`cannot listen on ${config.host}:${config.port}: ${error.message}`))
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
  giveUp(error.message)
}
