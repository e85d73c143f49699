import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { filePart, form, part, textPart, upload } from './support/multipart.js'
import { RawClient } from './support/raw-client.js'
import { Server } from './support/server.js'

const server = await Server.start({ after })
beforeEach(() => server.empty())

const names = ['../../x', '..', '.', '/etc/passwd', 'C:\\x', 'CON', '__proto__', 'n'.repeat(4096), 'näme', '%22', '%0A', '%00',
  '\\"quoted\\"', ' spaces inside and outside ', '=?UTF-8?Q?a?=', '\xff\xfe']
for (const name of names) {
  test(`A file may be called ${JSON.stringify(name.slice(0, 30))}`, async () => {
    for (const bytes of [Buffer.from(name, 'latin1'), Buffer.from(name, 'utf8')]) {
      const body = form([Buffer.concat([Buffer.from('Content-Disposition: form-data; name="avatar"; filename="'), bytes, Buffer.from('"\r\n\r\nx')])])
      assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
    }
    assert.deepEqual(server.stored.map(String), ['x', 'x'])
  })
}

for (const extended of ["filename*=UTF-8''na%C3%AFve", "filename*=ISO-8859-1'en'na%EFve"]) {
  test(`A valid ${extended} is accepted alone, before and after filename`, async () => {
    for (const parameters of [extended, `${extended}; filename="f"`, `filename="f"; ${extended}`]) {
      assert.equal((await RawClient.exchange(server.port, upload(form([part(`; name="avatar"; ${parameters}`, 'x')])))).status, 200)
    }
    assert.equal(server.stored.length, 3)
  })
}

test('What looks like an empty filename* in a quoted name or in the data is only text', async () => {
  const text = "filename*=UTF-8'';"
  const body = form([filePart(text, { name: `a ${text} b` }), part('; name="avatar"; filename="f"', `\r\n${text}\r\n\r\n`)])
  assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
  assert.equal(server.stored.length, 2)
})

for (const field of ['Avatar', ' avatar', 'avatar ', 'avatar[]', 'avatar[0]', '__proto__']) {
  test(`A file in the field ${JSON.stringify(field)} is unexpected`, async () => {
    const answer = await RawClient.exchange(server.port, upload(form([filePart('x', { field })])))
    assert.deepEqual([answer.status, answer.code], [400, 'unexpected_field'])
    await server.settles()
  })
}

for (const name of ['a[4294967294]', `a${'[b]'.repeat(1000)}`, '__proto__', 'constructor[prototype][x]', 'a[', 'a[]', 'hasOwnProperty']) {
  test(`A text field called ${name.slice(0, 30)} is only a name`, async () => {
    const plain = form([textPart('a', '1'), textPart('a[x]', '2'), filePart('x')])
    const hostile = form([textPart(name, '1'), textPart(name.replace(/\[\d+\]/, '[x]'), '2'), filePart('x')])
    const [ordinary, tried] = [await medianMs(plain), await medianMs(hostile)]
    assert.ok(tried < 20 * ordinary, `${tried} ms against ${ordinary} ms for an ordinary name`)
  })
}

/** @param {Buffer} body */
async function medianMs (body) {
  const times = []
  for (let i = 0; i < 9; i++) {
    const start = performance.now()
    assert.equal((await RawClient.exchange(server.port, upload(body))).status, 200)
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[4]
}
