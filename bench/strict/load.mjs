/**
 * The clients, in a process of their own: each sends a batch, waits for all of its answers, and sends the
 * next one. Batches are prepared, and answers have a known length, so that little of the time is spent here.
 */
import { connect } from 'node:net'
import { nowMs } from '../support/clock.mjs'

const KEYS = 100_000
const VALUE = 'xxx'
/** Different batches; each is sent many times. */
const PREPARED = 500
const WARM_UP_MS = 300
/** Replicas that have not acknowledged by then are reported as such. */
const WAIT_MS = 5_000
const ANSWERS = { SET: '+OK\r\n', GET: `$${VALUE.length}\r\n${VALUE}\r\n` }
const COUNT_ANSWER = ':1\r\n'

process.on('message', (order) => run(order).then(tell, (error) => tell({ failure: error.message })))
process.on('disconnect', () => process.exit(0))

function tell(result) {
  process.send(result)
}

/** `command` is SET or GET, `fill` writes every key once, `waits`: WAIT 1 after each `batch`, or after each `command`. */
async function run({ port, clients, command, depth, waits, fill, seconds }) {
  if (fill) return fillAll(port)
  const batches = Array.from({ length: PREPARED }, () => batchOf(command, depth, waits))
  const answerBytes = depth * ANSWERS[command].length + countOf(waits, depth) * COUNT_ANSWER.length
  const fromMs = nowMs() + WARM_UP_MS
  const period = { fromMs, toMs: fromMs + seconds * 1_000, answerBytes, waits }
  const each = Array.from({ length: clients }, () => client(port, batches, period))
  const results = await Promise.all(each)
  const latencies = results.flatMap((one) => one.latencies).sort((a, b) => a - b)
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  return {
    requestsPerSecond: (latencies.length * depth) / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    alone: results.reduce((sum, one) => sum + one.alone, 0),
  }
}

/** One client; `alone` counts the batches that no replica had acknowledged when WAIT ended. */
function client(port, batches, { fromMs, toMs, answerBytes, waits }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const latencies = []
    let [alone, received, sentMs] = [0, 0, 0]
    const send = () => {
      received = 0
      sentMs = nowMs()
      socket.write(batches[Math.floor(Math.random() * batches.length)])
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk) => {
      received += chunk.length
      if (chunk[0] === 0x2d || received > answerBytes)
        reject(new Error(chunk.toString().slice(0, 100)))
      if (received < answerBytes) return
      const ms = nowMs()
      if (waits !== undefined && chunk.at(-3) === 0x30) alone++
      // A batch counts in the period in which it ends.
      if (ms >= fromMs && ms < toMs) latencies.push(ms - sentMs)
      if (ms < toMs) return send()
      socket.removeAllListeners('close')
      socket.destroy()
      resolve({ latencies, alone })
    })
  })
}

function batchOf(command, depth, waits) {
  const value = command === 'SET' ? [VALUE] : []
  const wait = encode(['WAIT', '1', String(WAIT_MS)])
  const one = () => encode([command, randomKey(), ...value]) + (waits === 'command' ? wait : '')
  const commands = Array.from({ length: depth }, one)
  return Buffer.from(commands.join('') + (waits === 'batch' ? wait : ''))
}

function countOf(waits, depth) {
  if (waits === undefined) return 0
  return waits === 'batch' ? 1 : depth
}

function randomKey() {
  return `key:${Math.floor(Math.random() * KEYS)}`
}

function encode(words) {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
}

function fillAll(port) {
  const pairs = Array.from({ length: KEYS }, (_, at) => [`key:${at}`, VALUE]).flat()
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('connect', () => socket.write(encode(['MSET', ...pairs])))
    socket.once('data', (chunk) => {
      socket.destroy()
      if (chunk.toString() === ANSWERS.SET) resolve({})
      else reject(new Error(chunk.toString()))
    })
  })
}
