/**
 * A client that only pings, in a process of its own: its longest wait is how long the node was blocked for
 * all clients. On `begin` it starts counting from zero; on `end` it reports its waits, after the answer
 * that may still be missing.
 */
import { connect } from 'node:net'

const PAUSE_MS = 1

const socket = connect(Number(process.argv[2]), '127.0.0.1')
let longestMs = 0
let sentAtMs
let isAsked = false

socket.setNoDelay(true)
socket.on('connect', send)
socket.on('data', () => {
  longestMs = Math.max(longestMs, performance.now() - sentAtMs)
  if (isAsked) tell()
  setTimeout(send, PAUSE_MS)
})
socket.on('error', () => process.exit(1))
process.on('disconnect', () => process.exit())
process.on('message', (word) => {
  if (word === 'begin') {
    longestMs = 0
    process.send('begun')
  } else {
    isAsked = true
  }
})

function send() {
  sentAtMs = performance.now()
  socket.write('*1\r\n$4\r\nPING\r\n')
}

function tell() {
  isAsked = false
  process.send(longestMs)
}
