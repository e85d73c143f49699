// What the environment decides.
'use strict'

var path = require('path')
var env = process.env
var LOOPBACK = ['127.0.0.1', '::1', 'localhost']

function giveUp (sentence) {
  console.error('node-server paper-2016: ' + sentence)
  process.exit(2)
}

var host = env.HOST || '127.0.0.1'
if (LOOPBACK.indexOf(host) === -1) {
  giveUp('HOST is "' + host + '"; expected ' + LOOPBACK.join(', ') + ': these versions have known vulnerabilities')
}
if (!env.UPLOAD_DIR) giveUp('UPLOAD_DIR is not set; expected a folder')

module.exports = {
  host: host,
  port: Number(env.PORT || 8080),
  backlog: Number(env.BACKLOG || 511),
  tempDir: env.UPLOAD_DIR,
  page: path.join(__dirname, '..', 'page.html'),
  noDelay: env.NO_DELAY === 'true',
  giveUp: giveUp
}
