/**
 * One value as bytes that travel: DUMP's payload is an RDB record without a key, the version of the
 * format, and a checksum of everything before it.
 */
import type { KeyHash } from '../key-table/key-hash.ts'
import type { Value } from '../values/value.ts'
import { uint16 } from './bytes.ts'
import { Crc64 } from './crc64.ts'
import { isKnownVersion, typeOfByte } from './rdb-format.ts'
import { RdbInput } from './rdb-input.ts'
import { readValue } from './rdb-values.ts'
import { rdbValue, type StringForm } from './rdb-writer.ts'

/** The version and the checksum. */
export const FOOTER_BYTES = 10
const CHECKSUM_BYTES = 8
const PIECE_BYTES = 64 * 1024

/** Every server since Redis 5 reads these types; this form of streams came with version 10. */
const PLAIN_VERSION = 9
const STREAM_VERSION = 10
/** Fields that expire came with Redis 7.4. */
const FIELD_EXPIRY_VERSION = 12

/** Undefined if it would be longer than `maxBytes`. */
export function dumpPayload(value: Value, form: StringForm, maxBytes: number): string | undefined {
  const pieces: string[] = []
  const crc = new Crc64()
  let bytes = FOOTER_BYTES
  const record = rdbValue(value, form)
  for (
    let piece = record.next(PIECE_BYTES);
    piece !== undefined;
    piece = record.next(PIECE_BYTES)
  ) {
    bytes += piece.length
    if (bytes > maxBytes) return undefined
    // At once: the engine makes one string of the piece then, and lets go of the thousands it was put together from.
    crc.update(piece)
    pieces.push(piece)
  }
  pieces.push(footer(crc, versionOf(value)))
  return pieces.join('')
}

function versionOf(value: Value): number {
  if (value.type === 'hash' && value.expiries !== undefined) return FIELD_EXPIRY_VERSION
  return value.type === 'stream' ? STREAM_VERSION : PLAIN_VERSION
}

/** `record` with the version of its format and the checksum. */
export function withFooter(record: string, version: number): string {
  const crc = new Crc64()
  crc.update(record)
  return record + footer(crc, version)
}

/** `crc`: of the record. */
function footer(crc: Crc64, version: number): string {
  const form = String.fromCharCode(version & 0xff, version >> 8)
  crc.update(form)
  return form + crc.digest()
}

/** Whether the footer confirms the bytes before it, and has a version we know. `skipsChecksum`: only the latter. */
export function isSoundPayload(payload: string, skipsChecksum: boolean): boolean {
  const end = payload.length - FOOTER_BYTES
  if (end < 0 || !isKnownVersion(uint16(payload, end))) return false
  if (skipsChecksum) return true
  const crc = new Crc64()
  crc.update(payload, 0, payload.length - CHECKSUM_BYTES)
  return crc.digest() === payload.slice(-CHECKSUM_BYTES)
}

/**
 * The value of a payload; undefined if it is damaged, empty, or of a type we do not support. A value that
 * ends early is read on into the footer, as in Redis: what a master accepted, its replica must accept.
 */
export function valueOfPayload(payload: string, hash?: KeyHash): Value | undefined {
  const input = new RdbInput(hash)
  input.push(payload.slice(1))
  const type = typeOfByte(payload.charCodeAt(0), uint16(payload, payload.length - FOOTER_BYTES))
  const step = readValue(input, type).next()
  // Whatever the parser still asks for, no more bytes will come.
  return step.done === true ? step.value : undefined
}
