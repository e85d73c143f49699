// Bodies and requests, built byte by byte.
import { randomBytes } from 'node:crypto'

export const BOUNDARY = 'frontier7'

/** @typedef {Buffer | string} Bytes */

/**
 * @param {string} disposition what follows "form-data"
 * @param {Bytes} data
 * @param {string[]} headers more header lines
 * @returns {Buffer} header lines, the empty line and the data
 */
export function part (disposition, data, headers = []) {
  const lines = [`Content-Disposition: form-data${disposition}`, ...headers]
  return Buffer.concat([Buffer.from(lines.join('\r\n') + '\r\n\r\n'), Buffer.from(data)])
}

/**
 * @param {Bytes} data
 * @param {{ field?: string, name?: string }} [options]
 */
export function filePart (data, { field = 'avatar', name = 'photo.jpg' } = {}) {
  return part(`; name="${field}"; filename="${name}"`, data, ['Content-Type: image/jpeg'])
}

/**
 * @param {string} name
 * @param {Bytes} value
 */
export function textPart (name, value) {
  return part(`; name="${name}"`, value)
}

/**
 * @param {Bytes[]} parts
 * @param {{ boundary?: string, preamble?: Bytes, epilogue?: Bytes }} [options]
 */
export function form (parts, { boundary = BOUNDARY, preamble = '', epilogue = '\r\n' } = {}) {
  const pieces = parts.flatMap((bytes, i) => [`${i ? '\r\n' : ''}--${boundary}\r\n`, bytes])
  return Buffer.concat([preamble, ...pieces, `\r\n--${boundary}--`, epilogue].map(bytes => Buffer.from(bytes)))
}

/**
 * The head of an upload.
 * @param {Record<string, string | number | undefined>} [headers] undefined leaves one out
 * @param {string} [line] the request line
 */
export function head (headers = {}, line = 'POST /getimages HTTP/1.1') {
  const all = { Host: 'localhost', 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers }
  const lines = Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${line}\r\n${lines.join('')}\r\n`, 'latin1')
}

/**
 * A whole upload with its Content-Length.
 * @param {Bytes} body
 * @param {Record<string, string | number | undefined>} [headers]
 */
export function upload (body, headers = {}) {
  return Buffer.concat([head({ 'Content-Length': Buffer.byteLength(body), ...headers }), Buffer.from(body)])
}

/**
 * A whole upload in chunks.
 * @param {Buffer} body
 * @param {number} [chunkBytes]
 */
export function chunkedUpload (body, chunkBytes = 1000) {
  const pieces = [head({ 'Transfer-Encoding': 'chunked' })]
  for (let i = 0; i < body.length; i += chunkBytes) pieces.push(chunk(body.subarray(i, i + chunkBytes)))
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

/** @param {Bytes} bytes */
export function chunk (bytes) {
  return Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])
}

/** @param {number} bytes */
export function someBytes (bytes) {
  return randomBytes(bytes)
}
