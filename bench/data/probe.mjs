/**
 * The clients, in a process of their own: each sends one write after another, with a pause, and the
 * longest wait for an answer is what a user would have felt. On `begin` it starts counting from zero;
 * on `end` it reports.
 */
import { connect } from 'node:net'
import { keyAt, VALUE_BYTES } from './dataset.mjs'

const CLIENTS = 8
/** Several thousand writes a second in all: enough to notice a pause, too few to cause one. */
const PAUSE_MS = 1

const [port, keys] = process.argv.slice(2).map(Number)
let waitsMs = []

for (let number = 0; number < CLIENTS; number++) openClient(number)
process.on('message', (word) => {
  if (word === 'begin') waitsMs = []
  else process.send(summary())
})
process.on('disconnect', () => process.exit())

function openClient(number) {
  const socket = connect(port, '127.0.0.1')
  const value = String(number).padEnd(VALUE_BYTES, 'y')
  let sentAtMs
  const send = () => {
    const key = keyAt(Math.floor(Math.random() * keys))
    sentAtMs = performance.now()
    socket.write(`*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$${value.length}\r\n${value}\r\n`)
  }
  socket.setNoDelay(true)
  socket.on('connect', send)
  socket.on('data', () => {
    waitsMs.push(performance.now() - sentAtMs)
    setTimeout(send, PAUSE_MS)
  })
  socket.on('error', () => process.exit(1))
}

function summary() {
  const sorted = Float64Array.from(waitsMs).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { count: sorted.length, p99Ms: at(0.99), p999Ms: at(0.999), maxMs: sorted.at(-1) ?? 0 }
}
