/** Reads the manifest of the append-only file from its folder. */
import { type Manifest, type ManifestProblem, parseManifest } from '../aof/manifest.ts'
import { type FileFailure, readBytes, sizeOf, type Work } from './files.ts'

export type ReadManifest =
  | { readonly kind: 'read'; readonly manifest: Manifest }
  | { readonly kind: 'absent' }
  | { readonly kind: 'tooLong'; readonly sizeBytes: number }
  | ({ readonly kind: 'damaged' } & ManifestProblem)
  | FileFailure

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024

export function* readManifest(path: string): Work<ReadManifest> {
  const size = yield* sizeOf(path)
  if (size === 'absent') return { kind: 'absent' }
  if (typeof size === 'object') return size
  if (size > MAX_MANIFEST_BYTES) return { kind: 'tooLong', sizeBytes: size }
  const text = yield* readBytes(path, 0, Math.max(1, size))
  if (typeof text === 'object') return text
  const manifest = parseManifest(text)
  return 'reason' in manifest ? { kind: 'damaged', ...manifest } : { kind: 'read', manifest }
}
