/**
 * Receives the payload of a full resynchronisation: newlines while the master prepares it, a header
 * that says how it will end (see payload-header.ts), the payload itself. The payload is parsed as
 * it arrives; nothing is kept from it but the dataset it describes.
 */

import type { EntryTable } from '../../keyspace/entry-table.ts'
import type { Usage } from '../../keyspace/usage.ts'
import { faultText, type RdbContents, RdbReader } from '../../rdb/rdb-reader.ts'
import { MARK_LENGTH, type PayloadHeader, parsePayloadHeader } from '../payload-header.ts'
import { LineReader } from './line-reader.ts'

export type TransferProgress =
  | { readonly kind: 'more' }
  /** `rest`: the bytes after the payload, with which the stream begins. */
  | { readonly kind: 'done'; readonly contents: RdbContents; readonly rest: string }
  | { readonly kind: 'failed'; readonly reason: string }

export class PayloadTransfer {
  readonly #lines = new LineReader()
  readonly #rdb: RdbReader
  #header: PayloadHeader | undefined
  #contents: RdbContents | undefined
  /** The bytes after the end of the data. */
  #trailer = ''
  #receivedBytes = 0

  /** See RdbReader. */
  constructor(dbs: readonly EntryTable[], serial: number, usage?: Pick<Usage, 'restored'>) {
    this.#rdb = new RdbReader(dbs, serial, usage)
  }

  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** 0 until the length is known, which for a marked payload is at its end. */
  get totalBytes(): number {
    return this.#header?.kind === 'length' ? this.#header.totalBytes : 0
  }

  push(bytes: string): TransferProgress {
    if (this.#header !== undefined) return this.#payload(this.#header, bytes)
    this.#lines.push(bytes)
    for (;;) {
      const line = this.#lines.next()
      if (line === undefined) return this.#lines.isTooLong ? failed('its header is no line') : MORE
      if (line === '') continue
      this.#header = parsePayloadHeader(line)
      if (this.#header === undefined) return failed(`in place of a payload it sent: ${line}`)
      return this.#payload(this.#header, this.#lines.takeRest())
    }
  }

  #payload(header: PayloadHeader, bytes: string): TransferProgress {
    return header.kind === 'length'
      ? this.#counted(header.totalBytes, bytes)
      : this.#marked(header.mark, bytes)
  }

  #counted(totalBytes: number, bytes: string): TransferProgress {
    const payload = bytes.slice(0, totalBytes - this.#receivedBytes)
    this.#receivedBytes += payload.length
    // Servers ignore what lies between the end of the data and the end of the payload.
    const fault = this.#contents === undefined ? this.#parse(payload) : undefined
    if (fault !== undefined) return fault
    if (this.#receivedBytes < totalBytes) return MORE
    if (this.#contents === undefined) return failed('its payload is shorter than the data in it')
    return { kind: 'done', contents: this.#contents, rest: bytes.slice(payload.length) }
  }

  #marked(mark: string, bytes: string): TransferProgress {
    this.#receivedBytes += bytes.length
    if (this.#contents !== undefined) this.#trailer += bytes
    const fault = this.#contents === undefined ? this.#parse(bytes) : undefined
    if (fault !== undefined) return fault
    if (this.#contents === undefined || this.#trailer.length < MARK_LENGTH) return MORE
    if (!this.#trailer.startsWith(mark)) return failed('its payload does not end with the mark')
    return { kind: 'done', contents: this.#contents, rest: this.#trailer.slice(MARK_LENGTH) }
  }

  #parse(bytes: string): TransferProgress | undefined {
    const progress = this.#rdb.push(bytes)
    if (progress.kind === 'damaged') return failed(`its payload ${faultText(progress)}`)
    if (progress.kind === 'done') {
      this.#contents = progress.contents
      this.#trailer = progress.rest
    }
    return undefined
  }
}

const MORE: TransferProgress = { kind: 'more' }

function failed(reason: string): TransferProgress {
  return { kind: 'failed', reason }
}
