/**
 * A replica that costs its machine nothing: it asks for everything and reads the payload to its closing
 * mark without looking at it. So what the clients of the master wait for meanwhile is caused by the
 * master, and not by a replica that loads on the same two cores. Reports when it has all of it, and ends.
 */
import { connect } from 'node:net'

const HANDSHAKE = ['PING', 'REPLCONF capa eof', 'REPLCONF capa psync2', 'PSYNC ? -1']
const MARK = /\$EOF:([0-9a-f]{40})\r\n/

const socket = connect(Number(process.argv[2]), '127.0.0.1')
let asked = 0
/** Everything until the payload begins; then as much of its end as the mark is long. */
let text = ''
let mark

socket.setEncoding('latin1')
socket.on('connect', ask)
socket.on('data', (bytes) => {
  if (asked < HANDSHAKE.length) ask()
  else take(bytes)
})
socket.on('close', () => process.exit(1))
socket.on('error', () => process.exit(1))

function ask() {
  const words = HANDSHAKE[asked++].split(' ')
  const encoded = words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')
  socket.write(`*${words.length}\r\n${encoded}`)
}

function take(bytes) {
  text += bytes
  if (mark === undefined) {
    const begin = MARK.exec(text)
    if (begin === null) return
    mark = begin[1]
    text = text.slice(begin.index + begin[0].length)
  }
  text = text.slice(-mark.length)
  if (text === mark) process.send('done', () => process.exit(0))
}
