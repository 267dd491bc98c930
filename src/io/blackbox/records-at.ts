/** Finds the segments that paths name: files, folders of them, and bundles. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openBundle } from './bundle.ts'
import { SEGMENT_SUFFIX } from './frames.ts'
import { type SegmentSource, unreadable } from './segment-reader.ts'

/** In the order of their names; a folder or a bundle means all in it. Throws a StartError. */
export function segmentsAt(paths: readonly string[]): readonly SegmentSource[] {
  return paths.flatMap((path) => {
    if (!isFolder(path)) return openBundle(path) ?? [{ path }]
    return segmentsIn(path).map((name) => ({ path: join(path, name) }))
  })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw unreadable(path, error)
  }
}

function segmentsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SEGMENT_SUFFIX))
    return names.sort()
  } catch (error) {
    throw unreadable(folder, error)
  }
}
