/**
 * Loaded by Node before a data node that Redis' tests start. They read the log of redis-server: they wait for the line
 * with its process id, which comes when its port is open, and for the texts of log-texts.cjs. Our log says the same in
 * other words, and here gets theirs besides, so that a test goes on to what it tests.
 */
const fs = require('node:fs')
const net = require('node:net')
const { syncBuiltinESMExports } = require('node:module')
const { LOG_TEXTS } = require('./log-texts.cjs')

const STDOUT = 1
const { writeSync } = fs
const { listen } = net.Server.prototype
const writeError = process.stderr.write.bind(process.stderr)
let isStarted = false

fs.writeSync = (fd, data, ...rest) => {
  if (fd !== STDOUT || typeof data !== 'string') return writeSync(fd, data, ...rest)
  writeSync(fd, data.split('\n').map(inBothWords).join('\n'))
  return Buffer.byteLength(data)
}

/** Why it could not listen stands on standard error alone, and they look into its output. */
process.stderr.write = (data, ...rest) => {
  if (!isStarted) writeSync(STDOUT, `${inBothWords(`${data}`)}\n`)
  return writeError(data, ...rest)
}

net.Server.prototype.listen = function (...words) {
  this.once('listening', () => {
    const isPort = typeof this.address() === 'object'
    if (isPort && !isStarted) writeSync(STDOUT, ` PID: ${process.pid}\n`)
    isStarted ||= isPort
  })
  return listen.apply(this, words)
}

syncBuiltinESMExports()

function inBothWords(line) {
  const told = LOG_TEXTS.filter(([ours]) => ours.test(line))
  const texts = told.map(([ours, theirs]) => theirs.replace('$1', ours.exec(line)[1] ?? ''))
  return [line, ...texts].join(' ~ ')
}
