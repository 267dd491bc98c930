/**
 * A dump that lay there when the node started, and was not loaded: with [appendonly] the append-only file
 * comes first, and where there is none yet the node starts without data, as Redis does. The next save, at
 * the latest the one at the end, would put emptiness over what may be the only copy. So whoever saves
 * moves that dump aside first.
 */
import { change, type FileFailure, type Work } from './files.ts'
import type { PersistenceHost } from './host.ts'

export class UnreadDump {
  readonly #host: PersistenceHost
  #path: string | undefined

  constructor(host: PersistenceHost) {
    this.#host = host
    // The same name is another file there.
    host.settings.onChange('dir', () => this.note(undefined))
  }

  /** It is there, and nobody has read it. */
  note(path: string | undefined): void {
    this.#path = path
  }

  /** Before something else takes the place of this file. */
  *setAside(path: string): Work<FileFailure | undefined> {
    if (path !== this.#path) return undefined
    const { port, startedAt } = this.#host
    const aside = `${path}.not-loaded-${Math.floor(startedAt.wallMs / 1000)}`
    const failure = yield* change({ kind: 'rename', from: path, to: aside })
    // Somebody was faster.
    const isGone = failure?.code === 'ENOENT'
    if (failure !== undefined && !isGone) return failure
    this.#path = undefined
    if (!isGone)
      port.log('warning', `${path} was not loaded when this node started: it is ${aside} now`)
    return undefined
  }
}
