import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PartHeads } from '../src/part-heads.js'

const empty = Buffer.from('Content-Disposition: form-data; name="a"; filename*=UTF-8\'\'; x=y\r\n\r\ndata')

test('An empty extended name is found wherever the headers are split', () => {
  for (let split = 1; split < empty.length; split++) {
    const heads = new PartHeads()
    assert.throws(() => {
      heads.check(empty.subarray(0, split), [0])
      heads.check(empty.subarray(split), [])
    }, { code: 'malformed_multipart' }, `split at ${split}`)
  }
})

test('An empty extended name is found in single bytes, and behind another part', () => {
  const single = new PartHeads()
  assert.throws(() => {
    single.check(empty.subarray(0, 1), [0])
    for (let i = 1; i < empty.length; i++) single.check(empty.subarray(i, i + 1), [])
  }, { code: 'malformed_multipart' })
  const good = Buffer.from('Content-Disposition: form-data; name="a"\r\n\r\n')
  assert.throws(() => new PartHeads().check(Buffer.concat([good, empty]), [0, good.length]), { code: 'malformed_multipart' })
})

for (const parameter of ["filename*=utf-8'e_n'b", 'filename="a"; foo*="b"', 'foo*=b; filename=a', "filename=a; foo*=utf-8''%zz", "foo*=utf-8''; filename=a"]) {
  test(`An extended value must be one: ${parameter}`, () => {
    const bytes = Buffer.from(`Content-Disposition: form-data; name="avatar"; ${parameter}\r\n\r\n`)
    assert.throws(() => new PartHeads().check(bytes, [0]), { code: 'malformed_multipart' })
  })
}

test('A good extended value, and what looks like one in a quoted name, pass', () => {
  for (const parameter of ["filename*=utf-8'en-GB'a%20b", 'filename="x; foo*=b"', "filename=a; foo*=ISO-8859-1''b ; x=y"]) {
    new PartHeads().check(Buffer.from(`Content-Disposition: form-data; name="avatar"; ${parameter}\r\n\r\n`), [0])
  }
})

/** @type {Record<string, (bytes: number) => string>} */
const hostile = {
  'unclosed quotes': bytes => 'Content-Disposition:"\r\n'.repeat(bytes / 23),
  'many parameters': bytes => 'Content-Disposition: x' + ";filename*=a''b".repeat(bytes / 15),
  'many blanks': bytes => 'Content-Disposition: x;' + ' '.repeat(bytes),
  'many quotes': bytes => 'Content-Disposition: ' + '"\\"'.repeat(bytes / 3)
}
for (const [name, head] of Object.entries(hostile)) {
  test(`Headers twice as long take not much more than twice as long to judge: ${name}`, () => {
    const [half, whole] = [medianMs(head(8000)), medianMs(head(16_000))]
    assert.ok(whole < 8 * half + 0.5, `${whole} ms against ${half} ms`)
  })
}

/** @param {string} head */
function medianMs (head) {
  const bytes = Buffer.from(head + '\r\n\r\n')
  const times = Array.from({ length: 21 }, () => {
    const start = performance.now()
    new PartHeads().check(bytes, [0])
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[10]
}
