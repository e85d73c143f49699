// Starts the real server as its own process, with a folder of its own, and speaks to it over raw sockets.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const START = join(ROOT, 'bin/start')
export const PAPER_START = join(ROOT, 'paper-2016/bin/start')
export const PAGE = readFileSync(join(ROOT, 'page.html'), 'utf8')

export function temporaryFolder (t) {
  const folder = mkdtempSync(join(tmpdir(), 'node-server-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Waits for a condition, and fails with what it last was. */
export async function until (condition, timeoutMs = 30_000) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    if (await condition()) return
    if (performance.now() > deadline) throw new Error(`not true within ${timeoutMs} ms: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Starts a server; returns once it listens, with its port and what tests look at. */
export async function startServer (t, env = {}, command = START) {
  const uploadDir = env.UPLOAD_DIR ?? temporaryFolder(t)
  const child = spawn(command, { env: { PATH: process.env.PATH, PORT: '0', ...env, UPLOAD_DIR: uploadDir } })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => { output += text })
  const port = () => Number(/(?:port |127\.0\.0\.1:)(\d+)$/m.exec(output)?.[1])
  await until(() => port() || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error(`the server did not start: ${output}`)
  return {
    child,
    ended,
    uploadDir,
    port: port(),
    url: `http://127.0.0.1:${port()}`,
    names: () => readdirSync(uploadDir),
    stored: () => readdirSync(uploadDir).map(name => readFileSync(join(uploadDir, name))).sort((a, b) => a.length - b.length),
    openUploads: () => openFiles(child.pid).filter(path => path.startsWith(uploadDir))
  }
}

function openFiles (pid) {
  return readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return [] // closed since it was listed
    }
  })
}

/** Posts files, as [field, bytes], and text fields, as [field, text]. */
export function post (url, parts) {
  const body = new FormData()
  for (const [field, value] of parts) {
    if (typeof value === 'string') body.append(field, value)
    else body.append(field, new Blob([value]), '../name.jpg')
  }
  return fetch(`${url}/getimages`, { method: 'POST', body })
}

/** The bytes of a whole upload of one file, as a request. */
export function rawUpload (file, { boundary = 'b', contentType = `multipart/form-data; boundary=${boundary}` } = {}) {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="x.jpg"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const lines = ['POST /getimages HTTP/1.1', 'Host: x', `Content-Type: ${contentType}`, `Content-Length: ${body.length}`]
  return Buffer.concat([Buffer.from(lines.join('\r\n') + '\r\n\r\n'), body])
}

/** Opens a connection and sends bytes; returns its socket. */
export async function send (port, bytes) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  await new Promise(resolve => socket.write(bytes, resolve))
  return socket
}
