/**
 * A connection that sends bytes and only looks for the end of the answer: the cost of parsing an answer is
 * not the server's, and would hide how long the server took. Every call ends with an ECHO, whose answer
 * occurs nowhere else.
 */
import { connect } from 'node:net'
import { nowMs } from '../support/clock.mjs'
import { HOST } from '../support/ports.mjs'

const MARK = 'the-end-of-this-answer-'
/** If an answer begins with a dash, this much of it is shown. */
const SHOWN_BYTES = 200

/** A command as it is sent. Arguments are texts, numbers or buffers. */
export function request(...argv) {
  return requestOf(argv)
}

/** The same for more arguments than a call can have. */
export function requestOf(argv) {
  const parts = [Buffer.from(`*${argv.length}\r\n`)]
  for (const argument of argv) {
    const bytes = typeof argument === 'number' ? String(argument) : argument
    parts.push(Buffer.from(`$${bytes.length}\r\n`, 'latin1'))
    parts.push(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    parts.push(Buffer.from('\r\n'))
  }
  // A value of half a gigabyte is not copied just to join it with its header.
  return parts.some(({ length }) => length > 1_000_000) ? parts : [Buffer.concat(parts)]
}

export class Wire {
  #socket
  #calls = 0
  #waiting

  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect(port, HOST)
      socket.setNoDelay(true)
      socket.once('error', reject)
      socket.once('connect', () => resolve(new Wire(socket)))
    })
  }

  constructor(socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#received(bytes))
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')))
    socket.on('error', () => undefined)
  }

  /** Sends the parts and returns the milliseconds until everything is answered. Throws at an error reply. */
  call(parts) {
    const mark = `${MARK}${++this.#calls}`
    const ends = Buffer.from(`$${mark.length}\r\n${mark}\r\n`)
    return new Promise((resolve, reject) => {
      this.#waiting = {
        resolve,
        reject,
        ends,
        startedMs: nowMs(),
        head: undefined,
        tail: undefined,
      }
      this.#socket.cork()
      for (const part of parts) this.#socket.write(part)
      for (const part of request('ECHO', mark)) this.#socket.write(part)
      this.#socket.uncork()
    })
  }

  close() {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #received(bytes) {
    const waiting = this.#waiting
    if (waiting === undefined) return
    const { ends } = waiting
    waiting.head ??= bytes.subarray(0, SHOWN_BYTES).toString('latin1')
    waiting.tail =
      waiting.tail === undefined || bytes.length >= ends.length
        ? bytes
        : Buffer.concat([waiting.tail, bytes])
    if (!waiting.tail.subarray(-ends.length).equals(ends)) {
      waiting.tail = waiting.tail.subarray(-ends.length)
      return
    }
    this.#waiting = undefined
    if (waiting.head.startsWith('-')) waiting.reject(new Error(waiting.head.split('\r\n')[0]))
    else waiting.resolve(nowMs() - waiting.startedMs)
  }
}
