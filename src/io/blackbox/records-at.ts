/** Finds the segments that paths name: files, folders of them, and bundles. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../start-error.ts'
import { openBundle } from './bundle.ts'
import { SEGMENT_SUFFIX } from './frames.ts'
import { SegmentFault, type SegmentSource } from './segment-reader.ts'

/** In the order of their names; a folder or a bundle means all in it. Throws a SegmentFault. */
export function segmentsAt(paths: readonly string[]): readonly SegmentSource[] {
  return paths.flatMap((path) => {
    if (!isFolder(path)) return openBundle(path) ?? [{ path }]
    const names = readdirSync(path).filter((name) => name.endsWith(SEGMENT_SUFFIX))
    return names.sort().map((name) => ({ path: join(path, name) }))
  })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw new SegmentFault(path, 0, `cannot be read: ${reasonOf(error)}`)
  }
}
