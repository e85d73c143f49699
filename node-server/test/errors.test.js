import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '../src/errors.js'

/** @param {string} code */
const ofTheSystem = code => Object.assign(new Error(code), { code, syscall: 'write' })

test('A full disk and a full quota are insufficient storage', () => {
  assert.equal(codeOf(ofTheSystem('ENOSPC')), 'insufficient_storage')
  assert.equal(codeOf(ofTheSystem('EDQUOT')), 'insufficient_storage')
})

test('Whatever else the operating system refuses is a failed storage', () => {
  for (const code of ['EROFS', 'ENOENT', 'EMFILE', 'EACCES']) assert.equal(codeOf(ofTheSystem(code)), 'storage_failed')
})
