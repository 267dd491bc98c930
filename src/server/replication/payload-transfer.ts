/**
 * Receives the payload of a full resynchronisation: newlines while the master prepares it, a header
 * that says how it will end (after so many bytes, or with a mark of 40), the payload itself. It is
 * parsed as it arrives; nothing is kept from it but the dataset it describes.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { type RdbContents, RdbReader } from '../persistence/rdb-reader.ts'
import { LineReader } from './line-reader.ts'

const MARK_LENGTH = 40
const EOF_HEADER = '$EOF:'

export type TransferProgress =
  | { readonly kind: 'more' }
  /** `rest`: what followed the payload, the beginning of the stream. */
  | { readonly kind: 'done'; readonly contents: RdbContents; readonly rest: string }
  | { readonly kind: 'failed'; readonly reason: string }

type Framing =
  | { readonly kind: 'length'; readonly totalBytes: number }
  | { readonly kind: 'mark'; readonly mark: string }

export class PayloadTransfer {
  readonly #header = new LineReader()
  readonly #rdb: RdbReader
  #framing: Framing | undefined
  #contents: RdbContents | undefined
  /** What came after the end of the data. */
  #trailer = ''
  #receivedBytes = 0

  constructor(databases: number, serial: number) {
    this.#rdb = new RdbReader(databases, serial)
  }

  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** 0 as long as it is not known, which for a marked payload is until its end. */
  get totalBytes(): number {
    return this.#framing?.kind === 'length' ? this.#framing.totalBytes : 0
  }

  push(bytes: string): TransferProgress {
    if (this.#framing !== undefined) return this.#payload(this.#framing, bytes)
    this.#header.push(bytes)
    for (;;) {
      const line = this.#header.next()
      if (line === undefined) return this.#header.isTooLong ? failed('its header is no line') : MORE
      if (line === '') continue
      this.#framing = parseHeader(line)
      if (this.#framing === undefined) return failed(`in place of a payload it sent: ${line}`)
      return this.#payload(this.#framing, this.#header.takeRest())
    }
  }

  #payload(framing: Framing, bytes: string): TransferProgress {
    return framing.kind === 'length'
      ? this.#counted(framing.totalBytes, bytes)
      : this.#marked(framing.mark, bytes)
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
    if (progress.kind === 'damaged') {
      return failed(`its payload is damaged at byte ${progress.offset}: ${progress.text}`)
    }
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

function parseHeader(line: string): Framing | undefined {
  if (line.startsWith(EOF_HEADER)) {
    const mark = line.slice(EOF_HEADER.length)
    return mark.length === MARK_LENGTH ? { kind: 'mark', mark } : undefined
  }
  const totalBytes = parseInt64(line.slice(1))
  if (!line.startsWith('$') || typeof totalBytes !== 'number' || totalBytes < 0) return undefined
  return { kind: 'length', totalBytes }
}
