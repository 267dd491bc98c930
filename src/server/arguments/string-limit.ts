/** The longest string a command may make. */
import { MAX_BULK_BYTES } from '../../resp/input.ts'
import type { Settings } from '../settings/settings.ts'

/** [proto-max-bulk-len] Never more than can be sent and received as one value. */
export function maxStringBytes(settings: Settings): number {
  return Math.min(settings.int('proto-max-bulk-len'), MAX_BULK_BYTES)
}
