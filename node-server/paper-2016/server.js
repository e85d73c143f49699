// The upload server as the published study prints it ("Rotina de upload Node.js", in its appendix). What it does not print
// is marked "ours". These versions have known vulnerabilities, so it listens on loopback only.
'use strict'

var express = require('express')
var bodyParser = require('body-parser')
var multer = require('multer')
var uuid = require('node-uuid')
var _config = require('./config') // ours: reads the environment; printed is only its name
var app = express()

app.use(bodyParser.json())

var storage = multer.diskStorage({
  destination: function (req, file, callback) {
    callback(null, _config.tempDir)
  },
  filename: function (req, file, callback) {
    callback(null, file.fieldname + '-' + uuid.v1())
  }
})
var upload = multer({ storage: storage }).array('avatar', 2)

app.post('/getimages', function (req, res) {
  upload(req, res, function (err) {
    if (err) {
      return res.end('Erro in upload ' + err)
    }
    res.sendFile(_config.page) // printed: __dirname + "/resposta.html"
  })
})

app.get('/health', function (req, res) { res.end('{"status":"ok"}') }) // ours

var server = app.listen(_config.port, _config.host, _config.backlog, function () { // printed: app.listen(3000, ...)
  console.log('Working on port ' + server.address().port)
})
server.on('error', function (error) { _config.giveUp('cannot listen: ' + error.message) }) // ours
if (_config.noDelay) server.on('connection', function (socket) { socket.setNoDelay(true) }) // ours
