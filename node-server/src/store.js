// Keeps files: a multer storage engine. Bytes go to a hidden name in the upload folder; a file gets its own name
// only when the whole request has turned out good, so a crash leaves nothing that looks like an upload.
import { readdirSync, rename, rmSync, unlink } from 'node:fs'
import { join } from 'node:path'
import { v4 as uuid } from 'uuid'
import { FileWriter } from './file-writer.js'

/** @import { Readable } from 'node:stream' */

/**
 * @typedef {object} KeptFile what the store adds to multer's description of a file
 * @property {string} filename the UUID it is published under
 * @property {string} path where its bytes are now
 * @property {FileWriter} writer
 */

/**
 * @typedef {object} Owner of files
 * @property {number} filesUnderWay how many of them are being written or removed
 * @property {(() => void) | undefined} onClean called when none is any more
 */

/** What the name of a file begins with until its request is complete. */
const INCOMPLETE = '.incomplete-'

export class Store {
  #folder

  /** @param {string} folder exists and can be written */
  constructor (folder) {
    this.#folder = folder
  }

  /** Removes what an earlier process left incomplete. One folder belongs to one server. */
  removeIncomplete () {
    for (const entry of readdirSync(this.#folder, { withFileTypes: true })) {
      if (entry.isFile() && entry.name.startsWith(INCOMPLETE)) rmSync(join(this.#folder, entry.name))
    }
  }

  /**
   * Keeps one file under a hidden name (called by multer).
   * @param {Owner} owner
   * @param {{ stream: Readable }} file
   * @param {(error: unknown, kept?: KeptFile) => void} done
   */
  _handleFile (owner, file, done) {
    const filename = uuid()
    const path = join(this.#folder, INCOMPLETE + filename)
    owner.filesUnderWay++
    const writer = new FileWriter(path, file.stream, error => {
      if (error) done(error)
      else done(null, { filename, path, writer })
      settle(owner)
    })
  }

  /**
   * Removes a kept file (called by multer when its request fails).
   * @param {Owner} owner
   * @param {{ path: string }} file
   * @param {(error: Error | null) => void} done
   */
  _removeFile (owner, file, done) {
    owner.filesUnderWay++
    unlink(file.path, error => {
      done(error)
      settle(owner)
    })
  }

  /**
   * Calls back when no file of a request that failed is being written or removed any more: multer reports some errors
   * at once.
   * @param {Owner} owner
   * @param {() => void} done
   */
  whenClean (owner, done) {
    if (owner.filesUnderWay === 0) done()
    else owner.onClean = done
  }

  /**
   * Gives every file of a good request its final name: all of them or none.
   * @param {KeptFile[]} files at least one
   * @param {(error: unknown) => void} done
   */
  publish (files, done) {
    let left = 2 * files.length
    /** @type {unknown} */
    let failure
    const settled = (/** @type {unknown} */ error) => {
      failure ??= error
      if (--left > 0) return
      if (failure) this.removeAll(files, () => done(failure))
      else done(undefined)
    }
    for (const file of files) {
      const path = join(this.#folder, file.filename)
      rename(file.path, path, error => {
        if (!error) file.path = path
        settled(error)
      })
      file.writer.whenClosed(settled)
    }
  }

  /**
   * Removes every file of a request that turned out bad.
   * @param {KeptFile[]} files
   * @param {() => void} done
   */
  removeAll (files, done) {
    let left = files.length
    if (left === 0) return done()
    for (const file of files) unlink(file.path, () => { if (--left === 0) done() })
  }
}

/** @param {Owner} owner of a file that has been written or removed */
function settle (owner) {
  if (--owner.filesUnderWay === 0) owner.onClean?.()
}
