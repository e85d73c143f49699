import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { BOUNDARY, chunkedUpload, filePart, form, part, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())
const good = filePart('whole')

const B = `--${BOUNDARY}`
const raw = (/** @type {string} */ header) => Buffer.from(`${header}\r\n\r\nx`, 'latin1')
const disposition = 'Content-Disposition: form-data; name="avatar"; filename="f"'
/** @type {Record<string, string | Buffer>} */
const broken = {
  'an empty body': '',
  'a body without a delimiter': 'hello',
  'another boundary': form([good], { boundary: 'other' }),
  'only an epilogue': `${B}--\r\nepilogue`,
  'a form without parts': `${B}--`,
  'no final delimiter': form([good]).subarray(0, -B.length - 6),
  'a final delimiter without dashes': form([good]).subarray(0, -4),
  'a final delimiter with one dash': form([good]).subarray(0, -3),
  'an end in a file': form([good]).subarray(0, 120),
  'an end in a header': form([good]).subarray(0, 40),
  'LF for every CRLF': form([good]).toString().replaceAll('\r\n', '\n'),
  'a space behind the first delimiter': form([good, good]).toString().replace(B, `${B} `),
  'junk behind the second delimiter': form([good, good]).toString().replace(`\r\n${B}\r\n`, `\r\n${B}junk\r\n`),
  'a space behind the final delimiter before its dashes': form([good]).toString().replace(`${B}--`, `${B} --`),
  'data with the boundary as a prefix at the start of a line': form([filePart(`a\r\n${B}b\r\n`)]),
  'an empty line directly followed by a delimiter': `${B}\r\n${disposition}\r\n\r\n${B}\r\n${disposition}\r\n\r\nx\r\n${B}--`,
  'a delimiter directly behind a delimiter': `${B}\r\n${B}\r\n${disposition}\r\n\r\nx\r\n${B}--`,
  'a part without headers': form([good, '\r\nx']),
  'a part without the empty line': form([disposition, good]),
  'a header without colon': form([raw(`${disposition}\r\nnonsense`)]),
  'a header without name': form([raw(`${disposition}\r\n: x`)]),
  'a space before the colon': form([raw(`${disposition}\r\nA : x`)]),
  'a first header that starts with a space': form([raw(` A: x\r\n${disposition}`)]),
  'a bare CR in a header': form([raw(`${disposition}\r\nA: x\ry`)]),
  'a bare LF in a header': form([raw(`${disposition}\r\nA: x\ny`)]),
  'a NUL in a header': form([raw(`${disposition}\r\nA: x\0y`)]),
  'a DEL in a header': form([raw(`${disposition}\r\nA: x\x7fy`)]),
  'part headers over 16 KiB': form([raw(`${disposition}\r\nA: ${'x'.repeat(16 * 1024)}`)]),
  'a part without Content-Disposition': form([raw('Content-Type: image/jpeg'), good]),
  'a disposition of another type': form([raw('Content-Disposition: attachment; name="avatar"; filename="f"'), good]),
  'a disposition that does not parse': form([raw('Content-Disposition: form-data; name="avatar'), good]),
  'a part without a name': form([part('; filename="f"', 'x'), good]),
  'a text part without a name': form([part('; x=y', 'x'), good]),
  'a text part with an empty name': form([part('; name=""', 'x'), good]),
  'an empty name': form([part('; name=""; filename="f"', 'x'), good]),
  'a filename* without quotes': form([part('; name="avatar"; filename*=x', 'x')]),
  'a filename* with a broken percent': form([part('; name="avatar"; filename*=UTF-8\'\'a%2', 'x')]),
  'an empty filename*': form([part('; name="avatar"; filename*=UTF-8\'\'', 'x')]),
  'an empty filename* before the name': form([part('; filename*=UTF-8\'\'; name="avatar"; filename="f"', 'x')]),
  'an empty filename* before a folded line': form([part('; filename*=UTF-8\'en\' ;\r\n name="avatar"; filename="f"', 'x')]),
  'a filename* in double quotes': form([part('; name="avatar"; filename*="UTF-8\'\'a"', 'x')]),
  'a filename without value': form([part('; name="avatar"; filename=', 'x')]),
  'an unquoted filename that is no token': form([part('; name="avatar"; filename=a b', 'x')]),
  'an unclosed quote': form([part('; name="avatar"; filename="a', 'x')]),
  'a semicolon at the end': form([part('; name="avatar"; filename="a";', 'x')])
}
for (const [name, body] of Object.entries(broken)) {
  test(`A body is malformed and leaves nothing: ${name}`, async () => {
    const answer = await RawClient.refusal(server.port, upload(body))
    assert.deepEqual([answer.status, answer.code, answer.headers.connection], [400, 'malformed_multipart', 'close'])
    const chunked = await RawClient.refusal(server.port, chunkedUpload(Buffer.from(body), 1))
    assert.deepEqual([chunked.status, chunked.code], [400, 'malformed_multipart'])
    await server.settles()
  })
}
