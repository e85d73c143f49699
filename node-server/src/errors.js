// Every error a client can see: its status and its sentence. The codes are part of the upload contract.

/** @typedef {keyof typeof ERRORS} ErrorCode */

export const ERRORS = Object.freeze({
  malformed_multipart: { status: 400, message: 'The body is not well-formed multipart/form-data.' },
  no_file: { status: 400, message: 'The request carries no file in the field "avatar".' },
  too_many_files: { status: 400, message: 'The request carries more than two files.' },
  unexpected_field: { status: 400, message: 'Files are accepted in the field "avatar" only.' },
  bad_request: { status: 400, message: 'The request is not well-formed HTTP.' },
  not_found: { status: 404, message: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, message: 'This path does not answer this method.' },
  request_timeout: { status: 408, message: 'The rest of the request did not arrive in time.' },
  file_too_large: { status: 413, message: 'A file is larger than this server accepts.' },
  request_too_large: { status: 413, message: 'The request is larger than this server accepts.' },
  field_too_large: { status: 413, message: 'A text field is larger than this server accepts.' },
  too_many_parts: { status: 413, message: 'The request has more parts than this server accepts.' },
  unsupported_media_type: { status: 415, message: 'The request is not multipart/form-data.' },
  expectation_failed: { status: 417, message: 'The only expectation this server meets is 100-continue.' },
  headers_too_large: { status: 431, message: 'The head of the request is larger than this server accepts.' },
  storage_failed: { status: 500, message: 'The server could not store the upload.' },
  internal_error: { status: 500, message: 'The server failed.' },
  insufficient_storage: { status: 507, message: 'The server has no space left for the upload.' }
})

/** An error with the code its client shall see. */
export class UploadError extends Error {
  /** @param {ErrorCode} code */
  constructor (code) {
    super(ERRORS[code].message)
    this.code = code
  }
}

/** What multer calls its errors, in the words of the contract. */
const MULTER_CODES = new Map(/** @type {[string, ErrorCode][]} */ ([
  ['LIMIT_FILE_SIZE', 'file_too_large'],
  ['MISSING_FIELD_NAME', 'malformed_multipart']
]))

/**
 * The code a client shall see for whatever went wrong with its upload.
 * @param {any} error of ours, of multer, of busboy (a plain Error) or of the operating system
 * @returns {ErrorCode}
 */
export function codeOf (error) {
  if (error instanceof UploadError) return error.code
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return 'insufficient_storage'
  if (error.syscall !== undefined) return 'storage_failed'
  return MULTER_CODES.get(error.code) ?? 'malformed_multipart'
}
