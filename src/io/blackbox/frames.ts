/**
 * Segments of a record: a line that says what the file is, then frames. A frame is its type, its
 * length, a checksum and compressed text, a byte string. What a crash or a full disk cuts off is the last frame of
 * a file, and everything before it can be read.
 */
import { createHash } from 'node:crypto'
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib'
import { RecordFault } from '../../blackbox/block.ts'

export const MAGIC = 'vedette-blackbox 5\n'
export const SEGMENT_SUFFIX = '.vbb'

/** Of a Sentinel's record, `H`: the head of the segment; `B`: a block. Of a journal, `J`: its head; `E`: entries. */
export type FrameType = 'H' | 'B' | 'J' | 'E'

const TYPES: ReadonlySet<string> = new Set<FrameType>(['H', 'B', 'J', 'E'])

const HEADER_BYTES = 1 + 4 + 8
/** No frame of ours comes near; a made-up one must not fill the memory. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024

export function sha256Hex(pieces: Iterable<string>): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/**
 * Little memory, which the kernel would hand out anew for each frame. It holds five hundred symbols, after which zlib makes
 * a new code: that suits columns as different as those of a block. Level 9 would save a hundredth for half as much time again.
 */
const PACKING = { windowBits: 14, memLevel: 3, level: 6 }
/** Packed at once, in a millisecond: to wake another thread for it costs more. */
const SMALL_BYTES = 32 * 1024

export function frameOf(type: FrameType, text: string): Promise<Buffer> {
  if (text.length <= SMALL_BYTES) return Promise.resolve(frameOfSync(type, text))
  return new Promise((resolve, reject) => {
    deflateRaw(Buffer.from(text, 'latin1'), PACKING, (error, packed) => {
      if (error === null) resolve(framed(type, packed))
      else reject(error)
    })
  })
}

export function frameOfSync(type: FrameType, text: string): Buffer {
  return framed(type, deflateRawSync(Buffer.from(text, 'latin1'), PACKING))
}

function framed(type: FrameType, packed: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(type, 0, 'latin1')
  header.writeUInt32BE(packed.length, 1)
  checksumOf(packed).copy(header, 5)
  return Buffer.concat([header, packed])
}

function checksumOf(packed: Buffer): Buffer {
  return createHash('sha256').update(packed).digest().subarray(0, 8)
}

export interface RecordFrame {
  readonly type: FrameType
  readonly text: string
  /** Where the next one begins. */
  readonly endsAt: number
}

/** The frame at an offset; `torn`: the file ends before it does. Throws a RecordFault. */
export function readFrame(file: Buffer, at: number): RecordFrame | 'torn' {
  if (at + HEADER_BYTES > file.length) return 'torn'
  const type = file.toString('latin1', at, at + 1)
  if (!TYPES.has(type))
    throw new RecordFault(`no frame begins here: its type is ${JSON.stringify(type)}`)
  const length = file.readUInt32BE(at + 1)
  const start = at + HEADER_BYTES
  if (start + length > file.length) return 'torn'
  const packed = file.subarray(start, start + length)
  if (!checksumOf(packed).equals(file.subarray(at + 5, start)))
    throw new RecordFault('the frame is damaged: its checksum differs')
  return { type: type as FrameType, text: inflated(packed), endsAt: start + length }
}

function inflated(packed: Buffer): string {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_TEXT_BYTES }).toString('latin1')
  } catch (error) {
    throw new RecordFault(`the frame cannot be unpacked: ${(error as Error).message}`)
  }
}
