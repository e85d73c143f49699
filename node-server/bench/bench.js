// CPU per upload of the server, beside two floors, in turn on the same core. Needs wrk and two cores.
//   npm run bench -- [--seconds 3] [--warmup 8] [--rounds 5] [--sizes 4096,23552] [--connections 20] [--dir /dev/shm]
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    warmup: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: '4096,23552,99328,419840' },
    connections: { type: 'string', default: '20' },
    systems: { type: 'string', default: 'parse,server,raw' },
    dir: { type: 'string', default: '/dev/shm' }
  }
})
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))

/** @type {Record<string, string[]>} */
const COMMANDS = {
  raw: [process.execPath, path('floor.js'), 'raw'],
  parse: [process.execPath, path('floor.js'), 'parse'],
  server: [path('../bin/start')]
}

/**
 * One measurement with a fresh process and a fresh folder.
 * @param {string} system
 * @param {number} bytes of the file
 * @returns {Promise<{ cpuUs: number, perSecond: number }>} CPU time per upload, uploads per second
 */
async function measure (system, bytes) {
  const folder = mkdtempSync(join(values.dir, 'node-server-bench-'))
  const child = spawn('taskset', ['-c', '0', ...COMMANDS[system]], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', UPLOAD_DIR: folder }, stdio: ['ignore', 'pipe', 'inherit']
  })
  try {
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')])
    if (typeof line !== 'string') throw new Error(`${system} did not start`)
    const url = `${line.replace('listening on ', '')}/getimages`
    load(url, bytes, Number(values.warmup)) // until the code is compiled and the heap has its size
    const before = cpuNs(/** @type {number} */ (child.pid))
    const { requests, errors, seconds } = load(url, bytes, Number(values.seconds))
    const after = cpuNs(/** @type {number} */ (child.pid))
    if (errors > 0) throw new Error(`${system}: ${errors} of ${requests} uploads failed`)
    return { cpuUs: (after - before) / requests / 1000, perSecond: requests / seconds }
  } finally {
    if (child.kill('SIGKILL')) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
}

/**
 * @param {string} url
 * @param {number} bytes
 * @param {number} seconds
 */
function load (url, bytes, seconds) {
  const output = execFileSync('taskset', ['-c', '1', 'wrk', '--threads', '1', '--connections', values.connections,
    '--duration', `${seconds}s`, '--script', path('upload.lua'), url, '--', String(bytes)], { encoding: 'utf8' })
  const [requests, errors, us] = /** @type {RegExpExecArray} */ (/RESULT (\d+) (\d+) (\d+)/.exec(output)).slice(1).map(Number)
  return { requests, errors, seconds: us / 1e6 }
}

/**
 * CPU time of all threads of a process.
 * @param {number} pid
 */
function cpuNs (pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, tid) => sum + Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]), 0)
}

/** @param {number[]} numbers */
function median (numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

const systems = values.systems.split(',')
console.log('file bytes   system   CPU us/upload   uploads/s   CPU against the parsing floor')
for (const bytes of values.sizes.split(',').map(Number)) {
  /** @type {Record<string, { cpuUs: number, perSecond: number }[]>} */
  const runs = Object.fromEntries(systems.map(system => [system, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const system of systems) runs[system].push(await measure(system, bytes))
  }
  for (const system of systems) {
    const ratios = runs[system].map(({ cpuUs }, round) => cpuUs / runs[systems[0]][round].cpuUs)
    console.log(`${String(bytes).padStart(10)}   ${system.padEnd(6)}   ${median(runs[system].map(run => run.cpuUs)).toFixed(0).padStart(13)}` +
      `   ${median(runs[system].map(run => run.perSecond)).toFixed(0).padStart(9)}   ${median(ratios).toFixed(2)}`)
  }
}
