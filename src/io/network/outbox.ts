/**
 * What a connection is to send and its socket does not have yet. Short texts are added up, and become bytes when the
 * socket takes them. A long one (a slice of a value of a megabyte) would be copied into each sum, and its bytes would
 * take new memory in each write: it stays as it is, and goes out through a buffer that is used again.
 */
import type { Socket } from 'node:net'

/** A shorter text is added to the others. */
const LONG_BYTES = 1024
/** Node writes a text of up to this size from its stack, and allocates memory for a longer one. */
const FREE_BYTES = 16 * 1024

export class Outbox {
  /** Long texts, and what was added before each of them. */
  #parts: string[] = []
  #partsBytes = 0
  /** What was added after them. */
  #text = ''

  get bytes(): number {
    return this.#partsBytes + this.#text.length
  }

  add(bytes: string): void {
    if (bytes.length < LONG_BYTES) {
      this.#text += bytes
      return
    }
    if (this.#text !== '') this.#parts.push(this.#text)
    this.#parts.push(bytes)
    this.#partsBytes += this.#text.length + bytes.length
    this.#text = ''
  }

  drop(): void {
    // Emptied, not replaced: what a forgotten array holds lives until the old generation is collected. One by one: to
    // set the length of an array is a call of the engine's, dearer than a small command.
    while (this.#parts.length > 0) this.#parts.pop()
    this.#partsBytes = 0
    this.#text = ''
  }

  /** Hands over everything; a socket that is gone gets nothing. */
  sendTo(socket: Socket): void {
    if (this.bytes === 0) return
    if (socket.writable) this.#send(socket)
    this.drop()
  }

  #send(socket: Socket): void {
    const text = this.#text
    const parts = this.#parts
    if (parts.length === 0) socket.write(text, 'latin1')
    else if (this.bytes <= FREE_BYTES) socket.write(`${parts.join('')}${text}`, 'latin1')
    else {
      if (text !== '') parts.push(text)
      sendParts(socket, parts, this.bytes)
    }
  }
}

function sendParts(socket: Socket, parts: readonly string[], bytes: number): void {
  const buffer = socket.writableLength === 0 ? takeBuffer(bytes) : undefined
  if (buffer === undefined) return sendTexts(socket, parts)
  let end = 0
  for (const part of parts) end += buffer.write(part, end, 'latin1')
  socket.write(buffer.subarray(0, end), () => giveBack(buffer))
}

function sendTexts(socket: Socket, parts: readonly string[]): void {
  socket.cork()
  for (const part of parts) socket.write(part, 'latin1')
  socket.uncork()
}

// A socket that does not take its bytes at once keeps the buffer. So that it keeps little more than its bytes, there
// are buffers of several sizes, and a socket that still has something to send gets none.

const KIB = 1024
/** By size, the buffers that no socket has. */
const spare: ReadonlyMap<number, Buffer[]> = new Map(
  [32 * KIB, 128 * KIB, 512 * KIB].map((size) => [size, []]),
)
/** Those that came back when there were as many of their size are left to the collector. */
const MAX_SPARE = 4

/** Undefined for more bytes than the largest buffer has. */
function takeBuffer(bytes: number): Buffer | undefined {
  for (const [size, buffers] of spare) {
    if (bytes <= size) return buffers.pop() ?? Buffer.allocUnsafeSlow(size)
  }
  return undefined
}

function giveBack(buffer: Buffer): void {
  const buffers = spare.get(buffer.length)
  if (buffers !== undefined && buffers.length < MAX_SPARE) buffers.push(buffer)
}

/** The same for what only sends short texts: they are one text, `batch`, until the end of the turn. */
export function sendBatch(of: { batch: string; readonly socket: Socket }): void {
  const { batch, socket } = of
  if (batch === '') return
  of.batch = ''
  if (socket.writable) socket.write(batch, 'latin1')
}
