/**
 * Files that people name and programs read as a whole: configurations, users, certificates, scenarios.
 * Any name may refer to something endless or meaningless (`/dev/zero`, a folder, a disk image), so the
 * file is examined first and the size is bounded. Pipes are welcome: a shell makes one of
 * `<(command)`, and `/dev/stdin` is one.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isatty } from 'node:tty'

/** Enough for a configuration with ten thousand groups and all that Redis remembers of them. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

const PIECE_BYTES = 64 * 1024
const STANDARD_INPUT = 0

/** `-` is standard input. Throws an error whose message or code says why there is no such text. */
export function readText(
  path: string,
  encoding: 'utf8' | 'latin1',
  maxBytes = MAX_TEXT_BYTES,
): string {
  const file = path === '-' ? STANDARD_INPUT : openSync(path, 'r')
  try {
    refuse(fstatSync(file), maxBytes, isatty(file))
    return readToEnd(file, maxBytes).toString(encoding)
  } finally {
    if (file !== STANDARD_INPUT) closeSync(file)
  }
}

/** The same for an ordinary file, for a program that has other things to do meanwhile. */
export async function readTextLater(path: string, maxBytes = MAX_TEXT_BYTES): Promise<string> {
  const facts = await stat(path)
  if (facts.isFIFO()) throw new Error('it is a pipe, not a file')
  refuse(facts, maxBytes, false)
  return await readFile(path, 'latin1')
}

function refuse(facts: Stats, maxBytes: number, isTerminal: boolean): void {
  if (facts.isDirectory()) throw new Error('it is a folder')
  if (facts.isFile() && facts.size > maxBytes) throw tooLong(maxBytes, facts.size)
  const isEndless = facts.isCharacterDevice() && !isTerminal && facts.rdev !== NULL_DEVICE
  if (facts.isBlockDevice() || isEndless) throw new Error('it is a device, not a file')
}

/** `/dev/null`, major 1 and minor 3: reads as an empty file. */
const NULL_DEVICE = 0x103

function readToEnd(file: number, maxBytes: number): Buffer {
  const pieces: Buffer[] = []
  for (let total = 0; total <= maxBytes; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    const count = readSync(file, piece)
    if (count === 0) return Buffer.concat(pieces)
    pieces.push(piece.subarray(0, count))
    total += count
  }
  throw tooLong(maxBytes)
}

function tooLong(maxBytes: number, bytes?: number): Error {
  const found = bytes === undefined ? '' : `, ${inMebibytes(bytes)}`
  return new Error(`it is too long${found}: at most ${inMebibytes(maxBytes)} are read`)
}

function inMebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`
}
