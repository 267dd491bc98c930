/** Finds the segments that paths name: files, folders of them, and bundles. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openBundle } from './bundle.ts'
import { SEGMENT_SUFFIX } from './frames.ts'
import { type SegmentSource, unreadable } from './segment-reader.ts'

/**
 * In the order of their names; a folder or a bundle means all in it, and a folder without segments those in its folders.
 * Throws a StartError.
 */
export function segmentsAt(paths: readonly string[]): readonly SegmentSource[] {
  return paths.flatMap((path) => {
    if (!isFolder(path)) return openBundle(path) ?? [{ path }]
    const own = segmentsIn(path)
    return own.length > 0 ? own : namesIn(path).filter(isFolder).flatMap(segmentsIn)
  })
}

/** Folders right below these paths that have segments, where the paths themselves have none: one for each run of a scenario. */
export function runFoldersBelow(paths: readonly string[]): readonly string[] {
  const below = paths.filter(isFolder).flatMap((path) => namesIn(path).filter(isFolder))
  return below.filter((path) => segmentsAt([path]).length > 0)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw unreadable(path, error)
  }
}

function segmentsIn(folder: string): readonly SegmentSource[] {
  const paths = namesIn(folder).filter((path) => path.endsWith(SEGMENT_SUFFIX))
  return paths.map((path) => ({ path }))
}

/** With the folder before them. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch (error) {
    throw unreadable(folder, error)
  }
}
