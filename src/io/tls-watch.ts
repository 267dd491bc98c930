/**
 * Notices that files have changed, by looking at them now and then. Watching through the kernel misses
 * what a container or a network file system changes, and files that are replaced by way of a link.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const LOOK_MS = 2_000

/**
 * Calls `changed` when the files are not what they were and have stayed as they are for one look: a
 * certificate and its key are seldom replaced in one instant. The returned function ends it. The timer
 * keeps no process alive.
 */
export function watchFiles(
  paths: () => readonly string[],
  changed: () => void,
  lookMs = LOOK_MS,
): () => void {
  const quiet = new QuietChange()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const look = async () => {
    const seen = await fingerprint(paths())
    if (isOver) return
    if (quiet.see(seen)) changed()
    timer = setTimeout(() => void look(), lookMs).unref()
  }
  void look()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Tells a change that has come to rest from one that is still going on. */
export class QuietChange {
  #known: string | undefined
  #last: string | undefined

  /**
   * Whether what is seen is new, and was seen the time before as well. What is seen first is new too:
   * it may have changed before anybody looked.
   */
  see(seen: string): boolean {
    const isQuiet = seen === this.#last
    this.#last = seen
    if (!isQuiet || seen === this.#known) return false
    this.#known = seen
    return true
  }
}

/** One line per file, and per file in a folder: differs whenever one of them was replaced or written. */
async function fingerprint(paths: readonly string[]): Promise<string> {
  const lines = await Promise.all(paths.map(lineOf))
  return lines.join('\n')
}

async function lineOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino, isDir } = await look(path)
    if (!isDir) return `${path} ${mtimeMs} ${size} ${ino}`
    const names = await readdir(path)
    const lines = await Promise.all(names.sort().map((name) => entryOf(join(path, name))))
    return lines.join('\n')
  } catch {
    return `${path} is not to be had`
  }
}

async function entryOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await look(path)
  return `${path} ${mtimeMs} ${size} ${ino}`
}

async function look(path: string) {
  const found = await stat(path)
  return { mtimeMs: found.mtimeMs, size: found.size, ino: found.ino, isDir: found.isDirectory() }
}
