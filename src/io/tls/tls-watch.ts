/**
 * Notices that files have changed, by looking at them periodically. Watching through the kernel misses
 * changes made by a container or a network file system, and files that are replaced through a link.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const LOOK_MS = 2_000

/**
 * Calls `changed` when the files have changed and then stayed the same for one look: a certificate and
 * its key are seldom replaced in one instant. The returned function ends the watch. The timer does not
 * keep the process alive.
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

/** Tells a change that is complete from one that is still going on. */
export class QuietChange {
  #known: string | undefined
  #last: string | undefined

  /**
   * Whether what is seen is new, and was seen the time before as well. The first sight is new too:
   * the files may have changed before we looked.
   */
  see(seen: string): boolean {
    const isQuiet = seen === this.#last
    this.#last = seen
    if (!isQuiet || seen === this.#known) return false
    this.#known = seen
    return true
  }
}

/** One line per file, and per file in a folder: the text changes when one of them does. */
async function fingerprint(paths: readonly string[]): Promise<string> {
  const lines = await Promise.all(paths.map(linesOf))
  return lines.join('\n')
}

async function linesOf(path: string): Promise<string> {
  try {
    const names = await readdir(path)
    const lines = await Promise.all(names.sort().map((name) => lineOf(join(path, name))))
    return lines.join('\n')
  } catch {
    return lineOf(path)
  }
}

/**
 * The change time moves with the contents, the owner and the mode. The modification time can be set back,
 * as `cp -p` does.
 */
async function lineOf(path: string): Promise<string> {
  try {
    const { ctimeMs, mtimeMs, size, ino } = await stat(path)
    return `${path} ${ctimeMs} ${mtimeMs} ${size} ${ino}`
  } catch {
    return `${path} is not to be had`
  }
}
