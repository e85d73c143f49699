// As multer's README writes it: diskStorage with a destination and a filename, upload.single.
const { randomUUID } = require('node:crypto')
const express = require('express')
const multer = require('multer')

const storage = multer.diskStorage({
  destination: process.env.UPLOAD_DIR,
  filename: (request, file, done) => done(null, randomUUID())
})
const app = express()
app.post('/api/files', multer({ storage }).single('file'), (request, response) => response.sendStatus(201))
app.listen(Number(process.env.PORT), '127.0.0.1')
