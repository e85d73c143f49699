// Starts the real server as its own process, on a free port, with a folder of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { until } from './until.js'

/** @import { ChildProcess } from 'node:child_process' */

export const START = fileURLToPath(new URL('../../bin/start', import.meta.url))
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** @param {{ after: (clean: () => unknown) => void }} t a test, or { after } of node:test */
export function temporaryFolder (t) {
  const folder = mkdtempSync(join(tmpdir(), 'node-server-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export class Server {
  /**
   * @param {{ after: (clean: () => unknown) => void }} t
   * @param {Record<string, string | number>} [env]
   * @param {string[]} [command] what starts it
   * @returns {Promise<Server>} once it listens
   */
  static async start (t, env = {}, command = [START]) {
    const uploadDir = String(env.UPLOAD_DIR ?? temporaryFolder(t))
    const child = spawn(command[0], command.slice(1), {
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env, UPLOAD_DIR: uploadDir },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    t.after(() => child.kill('SIGKILL'))
    const server = new Server(child, uploadDir)
    try {
      await until(() => server.port !== 0 || child.exitCode !== null, 60_000)
    } catch (error) {
      child.kill('SIGKILL') // outside of a test nothing cleans up after a file that could not be loaded
      throw error
    }
    if (server.port === 0) throw new Error(`the server did not start: ${server.stderr}`)
    return server
  }

  port = 0
  stdout = ''
  stderr = ''

  /**
   * @param {ChildProcess} child
   * @param {string} uploadDir
   */
  constructor (child, uploadDir) {
    this.child = child
    this.uploadDir = uploadDir
    this.exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).on('line', line => {
      this.stdout += line + '\n'
      this.port ||= Number(/^listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1] ?? 0)
    })
    child.stderr?.on('data', text => { this.stderr += text })
  }

  get pid () {
    return /** @type {number} */ (this.child.pid)
  }

  get url () {
    return `http://127.0.0.1:${this.port}`
  }

  /** Names of everything in the upload folder, hidden or not. */
  get names () {
    return readdirSync(this.uploadDir)
  }

  /**
   * Contents of the stored files, smallest first; fails when anything else is in the folder.
   * @returns {Buffer[]}
   */
  get stored () {
    for (const name of this.names) if (!UUID.test(name)) throw new Error(`${name} is in the upload folder`)
    return this.names.map(name => readFileSync(join(this.uploadDir, name))).sort((a, b) => a.length - b.length || a.compare(b))
  }

  /** Removes what is stored. */
  empty () {
    for (const name of this.names) rmSync(join(this.uploadDir, name))
  }

  /** Files of the upload folder that the server has open. */
  get openFiles () {
    return descriptors(this.pid).filter(path => path.startsWith(this.uploadDir + '/'))
  }

  /** Waits until the server has a number of files of the folder open. */
  async settlesOpen (/** @type {number} */ count) {
    await until(() => this.openFiles.length === count)
  }

  /** Waits until the folder holds a number of names and the server has none of them open. */
  async settles (count = 0) {
    await until(() => this.names.length === count && this.openFiles.length === 0)
  }
}

/**
 * @param {number} pid
 * @returns {string[]} what its descriptors point to
 */
function descriptors (pid) {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap(fd => {
    try {
      return [readlinkSync(join(folder, fd))]
    } catch {
      return [] // closed since it was listed
    }
  })
}
