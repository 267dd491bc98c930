/** Node's byte codec: its buffers copy a string's bytes at the speed of a memory copy. */
import type { ByteCodec } from '../base/byte-codec.ts'

export const BUFFER_BYTES: ByteCodec = {
  copy(text, target) {
    viewOf(target).write(text, 'latin1')
  },
  text(bytes) {
    return viewOf(bytes).toString('latin1')
  },
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
