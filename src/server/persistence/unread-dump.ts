/**
 * A dump that existed when the node started, and was not loaded: with [appendonly] the append-only file
 * comes first, and if there is none yet the node starts without data, as Redis does. The next save, at
 * the latest the one at the end, would replace what may be the only copy with an empty file. So a save
 * first moves that dump aside.
 */
import { change, type FileFailure, type Work } from './files.ts'
import type { PersistenceHost } from './host.ts'

export class UnreadDump {
  readonly #host: PersistenceHost
  #path: string | undefined

  constructor(host: PersistenceHost) {
    this.#host = host
    // In another folder, the same name is another file.
    host.settings.onChange('dir', () => this.note(undefined))
  }

  /** The file exists and has not been read. */
  note(path: string | undefined): void {
    this.#path = path
  }

  /** Called before another file replaces this one. */
  *setAside(path: string): Work<FileFailure | undefined> {
    if (path !== this.#path) return undefined
    const { port, startedAt } = this.#host
    const aside = `${path}.not-loaded-${Math.floor(startedAt.wallMs / 1000)}`
    const failure = yield* change({ kind: 'rename', from: path, to: aside })
    // The file is gone already: something else has moved or removed it.
    const isGone = failure?.code === 'ENOENT'
    if (failure !== undefined && !isGone) return failure
    this.#path = undefined
    if (!isGone)
      port.log('warning', `${path} was not loaded when this node started: it is ${aside} now`)
    return undefined
  }
}
