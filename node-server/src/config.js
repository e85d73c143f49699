// Everything the environment decides: names, defaults and checks, in one place.

/** A setting with a value that cannot be used; its message is one sentence for the user. */
export class ConfigError extends Error {}

const MIB = 1024 * 1024
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @typedef {object} Config
 * @property {string} host
 * @property {number} port 0 picks a free one
 * @property {string} uploadDir
 * @property {number} maxFileBytes largest file accepted
 * @property {number} maxRequestBytes largest request body accepted
 * @property {number} maxDrainBytes most that is read and thrown away after an error
 * @property {number} idleTimeoutMs longest silence within a request
 * @property {number} minBodyBytesPerS slowest that a body may come once it has come for `idleTimeoutMs`; 0 is no limit
 * @property {number} keepAliveTimeoutMs longest silence between two requests of a connection
 * @property {number} keepAliveRequests requests answered on one connection; 0 is no limit
 * @property {number} backlog connections the kernel queues before accept
 * @property {number} stopGraceMs how long requests in flight may take to finish after SIGTERM
 * @property {string | undefined} runtimeMetricsFile where event-loop delay and GC are appended; undefined is off
 */

/**
 * Reads the settings of the server.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Config}
 * @throws {ConfigError} naming the variable, its value and what was expected
 */
export function readConfig (env) {
  wholeNumber(env, 'UV_THREADPOOL_SIZE', 4, 1, 1024) // libuv reads it itself and takes 1 for what it cannot read
  return {
    host: env.HOST || '127.0.0.1',
    port: wholeNumber(env, 'PORT', 8080, 0, 65535),
    uploadDir: required(env, 'UPLOAD_DIR'),
    maxFileBytes: wholeNumber(env, 'MAX_FILE_BYTES', 200 * MIB, 0),
    maxRequestBytes: wholeNumber(env, 'MAX_REQUEST_BYTES', 230 * MIB, 0),
    maxDrainBytes: wholeNumber(env, 'MAX_DRAIN_BYTES', 256 * MIB, 0),
    idleTimeoutMs: wholeNumber(env, 'IDLE_TIMEOUT_MS', 60_000, 1, MAX_TIMER_MS),
    minBodyBytesPerS: wholeNumber(env, 'MIN_BODY_BYTES_PER_S', 500, 0),
    keepAliveTimeoutMs: wholeNumber(env, 'KEEP_ALIVE_TIMEOUT_MS', 60_000, 1, MAX_TIMER_MS),
    keepAliveRequests: wholeNumber(env, 'KEEP_ALIVE_REQUESTS', 0, 0),
    backlog: wholeNumber(env, 'BACKLOG', 511, 1, 65535),
    stopGraceMs: wholeNumber(env, 'STOP_GRACE_MS', 8_000, 1, MAX_TIMER_MS),
    runtimeMetricsFile: env.RUNTIME_METRICS_FILE || undefined
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @returns {string}
 */
function required (env, name) {
  const text = env[name]
  if (!text) throw new ConfigError(`${name} is not set; expected a folder that exists and can be written`)
  return text
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @param {number} fallback used when the variable is not set
 * @param {number} min
 * @param {number} [max]
 * @returns {number}
 */
function wholeNumber (env, name, fallback, min, max = Number.MAX_SAFE_INTEGER) {
  const text = env[name]
  if (text === undefined) return fallback
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`)
  }
  return number
}
