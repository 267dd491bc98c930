/**
 * The Lua scripts that a client has given on its connection. A server keeps them, and libraries rely on that for as
 * long as their connection lasts: ioredis sends the text once, and then EVALSHA, also in transactions, where NOSCRIPT
 * comes too late to be mended. Another master never saw them, and the client of a proxy never sees its connection
 * break. So they are part of what is said to the next master.
 */
import { FlatText } from '../resp/flat-text.ts'
import { wordAt } from './requests.ts'

/** Of one client. One that has given more is closed when the master changes, and begins anew. */
const MAX_CARRIED_BYTES = 512 * 1024
const MAX_SHELF_BYTES = 8 * 1024 * 1024

/** One for all sessions: a hundred workers with the same scripts keep them once. */
export class ScriptShelf {
  readonly #shared = new Map<string, string>()
  readonly #flat = new FlatText()
  #bytes = 0

  share(text: string): string {
    const shared = this.#shared.get(text)
    if (shared !== undefined) return shared
    // Cut out of what was received, it would keep all of that.
    this.#flat.begin(text)
    const own = this.#flat.text
    this.#shared.set(own, own)
    this.#bytes += own.length
    this.#makeRoom()
    return own
  }

  /** Sessions keep what they carry. */
  #makeRoom(): void {
    for (const oldest of this.#shared.keys()) {
      if (this.#bytes <= MAX_SHELF_BYTES) return
      this.#shared.delete(oldest)
      this.#bytes -= oldest.length
    }
  }
}

export class CarriedScripts {
  readonly #texts = new Set<string>()
  #bytes = 0
  /** The client has given more than is kept. */
  isTooMuch = false

  /** EVAL or SCRIPT is on its way to a server. `bytes`: the beginning of the command, if it is a long one. */
  given(name: string, bytes: string, shelf: ScriptShelf): void {
    if (name.toLowerCase() !== 'script') return this.#keep(wordAt(bytes, 1), shelf)
    const verb = wordAt(bytes, 1)?.toLowerCase()
    if (verb === 'load') this.#keep(wordAt(bytes, 2), shelf)
    if (verb === 'flush') this.#forget()
  }

  get texts(): Iterable<string> {
    return this.#texts
  }

  #keep(text: string | undefined, shelf: ScriptShelf): void {
    if (this.isTooMuch || (text !== undefined && this.#texts.has(text))) return
    this.#bytes += text?.length ?? MAX_CARRIED_BYTES
    this.isTooMuch = text === undefined || this.#bytes > MAX_CARRIED_BYTES
    if (text === undefined || this.isTooMuch) this.#texts.clear()
    else this.#texts.add(shelf.share(text))
  }

  #forget(): void {
    this.#texts.clear()
    this.#bytes = 0
    this.isTooMuch = false
  }
}
