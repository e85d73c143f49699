// Reads the Content-Type of an upload by the grammar of the contract, which is stricter than the parsers around:
// a boundary that two programs read differently is how a body is smuggled past one of them.

const PARAMETER = /[ \t]*;[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)|"((?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*)")/y

/** RFC 2046, section 5.1.1: 1 to 70 of these, the last one not a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/**
 * Says whether a Content-Type names multipart/form-data, whatever its parameters are.
 * @param {string | undefined} text
 * @returns {boolean}
 */
export function isMultipartFormData (text) {
  return text !== undefined && /^multipart\/form-data[ \t]*(?:;|$)/i.test(text)
}

/**
 * The boundary of a Content-Type that names multipart/form-data.
 * @param {string} text
 * @returns {string | undefined} undefined when it is absent or breaks the grammar
 */
export function boundaryOf (text) {
  let boundary
  let end = 'multipart/form-data'.length
  while (end < text.length) {
    PARAMETER.lastIndex = end
    const match = PARAMETER.exec(text)
    if (match === null) return undefined
    end = PARAMETER.lastIndex
    const [, name, token, quoted] = match
    if (boundary === undefined && name.toLowerCase() === 'boundary') {
      boundary = token ?? quoted.replaceAll(/\\(.)/g, '$1')
    }
  }
  return boundary !== undefined && BOUNDARY.test(boundary) ? boundary : undefined
}
