// Prints the versions in use, as read from what is installed, not from what was asked for.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Version of an installed package as its dependant would load it.
 * @param {string} name
 * @param {NodeJS.Require} require of the dependant
 * @returns {{ version: string, require: NodeJS.Require }}
 */
function installed (name, require) {
  const folders = require.resolve.paths(name) ?? []
  for (const folder of folders) {
    const manifest = join(folder, name, 'package.json')
    try {
      return {
        version: JSON.parse(readFileSync(manifest, 'utf8')).version,
        require: createRequire(join(dirname(manifest), 'index.js'))
      }
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`${name} is not installed; expected "npm ci" to have been run`)
}

const ours = createRequire(import.meta.url)
const multer = installed('multer', ours)

console.log(JSON.stringify({
  node: process.versions.node,
  express: installed('express', ours).version,
  multer: multer.version,
  busboy: installed('busboy', multer.require).version,
  uuid: installed('uuid', ours).version
}))
