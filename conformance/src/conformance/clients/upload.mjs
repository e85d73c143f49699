// Sends a form with Node's fetch: upload.mjs URL COMMENT ANSWER_FILE FILE...; prints the status.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

const [url, comment, answerFile, ...files] = process.argv.slice(2)
const form = new FormData()
form.append('comment', comment)
for (const file of files) form.append('avatar', new Blob([readFileSync(file)], { type: 'image/png' }), basename(file))
const answer = await fetch(url, { method: 'POST', body: form })
writeFileSync(answerFile, Buffer.from(await answer.arrayBuffer()))
console.log(answer.status)
