/**
 * What the proxy has to know of a command before it passes it on. The table of the data node says which commands
 * only read: those may be sent again if their answer was lost. All others, and unknown ones, are taken
 * for writes, which are never sent twice.
 */
import { HTTP_NAMES } from '../resp/request-decoder.ts'
import { nodeCommands } from '../server/commands/registry.ts'
import { wordsOf } from './requests.ts'

/** Passed on without a look at anything but the name. */
export type PlainKind = 'read' | 'write'

export type CommandKind =
  /** Passed on; repeated if it was not answered. */
  | 'read'
  /** Passed on; never repeated. */
  | 'write'
  /** Several of these, which came in one piece. */
  | 'run'
  /** Changes what the connection is: its words are looked at. */
  | 'session'
  | 'subscribe'
  | 'unsubscribe'
  | 'watch'
  | 'unwatch'
  /** About the writes before it on its own connection to a server: another server knows nothing of them. */
  | 'wait'
  | 'multi'
  | 'exec'
  | 'discard'
  | 'reset'
  | 'quit'
  /** About the proxy itself. */
  | 'proxy'
  /** A request of HTTP, perhaps one that a web page has forged. */
  | 'http'
  /** Cannot be had through a proxy. */
  | 'refused'

/** They change nothing, and the table does not call them reads because they touch no key. */
const HARMLESS = ['ping', 'echo', 'time', 'info', 'role', 'lastsave', 'command']

const SPECIAL: readonly (readonly [CommandKind, readonly string[]])[] = [
  ['read', HARMLESS],
  ['session', ['select', 'auth', 'hello', 'client', 'readonly', 'readwrite']],
  ['subscribe', ['subscribe', 'psubscribe', 'ssubscribe']],
  ['unsubscribe', ['unsubscribe', 'punsubscribe', 'sunsubscribe']],
  ['watch', ['watch']],
  ['unwatch', ['unwatch']],
  ['wait', ['wait', 'waitaof']],
  ['multi', ['multi']],
  ['exec', ['exec']],
  ['discard', ['discard']],
  ['reset', ['reset']],
  ['quit', ['quit']],
  ['proxy', ['proxy']],
  ['http', HTTP_NAMES],
  ['refused', ['monitor', 'sync', 'psync', 'replconf']],
]

/** They send a message. */
const PUBLISHING: ReadonlySet<string> = new Set(['publish', 'spublish'])

/** They leave a script with the server, or take them away. */
const ABOUT_SCRIPTS: ReadonlySet<string> = new Set(['eval', 'eval_ro', 'script'])

/** What they change is carried to another server, so the proxy has to know their words. */
const READ_WHOLE: ReadonlySet<CommandKind> = new Set(['session', 'subscribe', 'unsubscribe'])

/** How the commands begin that the proxy answers although no master is confirmed. */
export const NEEDS_NO_SERVER =
  /\*[1-9]\d*\r\n\$(?:4\r\nquit|5\r\nproxy)\r\n|(?:quit|proxy)[ \t\r\n]/iy

export class CommandKinds {
  /** In lower and in upper case, so that the usual spellings are found at once. */
  readonly #kinds = new Map<string, CommandKind>()
  /** Reads and writes that are answered at once, in the usual spellings. */
  readonly #plain = new Map<string, PlainKind>()
  /** In lower case. */
  readonly #blocking = new Set<string>()

  constructor() {
    for (const { fullName, isRead, flags } of nodeCommands().all.values()) {
      if (flags.includes('blocking')) this.#blocking.add(fullName)
      this.#note(fullName, isRead ? 'read' : 'write')
    }
    for (const [kind, names] of SPECIAL) {
      for (const name of names) this.#note(name, kind)
    }
    for (const [name, kind] of this.#kinds) {
      const isPlain = kind === 'read' || kind === 'write'
      const isLookedAt = this.mayBlock(name) || this.isAboutScripts(name)
      if (isPlain && !isLookedAt) this.#plain.set(name, kind)
    }
  }

  of(name: string): CommandKind {
    return this.#kinds.get(name) ?? this.#kinds.get(name.toLowerCase()) ?? 'write'
  }

  /** Undefined if there is more to know of it than its name. */
  plain(name: string): PlainKind | undefined {
    return this.#plain.get(name)
  }

  /** The proxy has to know the words of the command, so it has to have all of it. */
  isReadWhole(name: string): boolean {
    return READ_WHOLE.has(this.of(name))
  }

  mayBlock(name: string): boolean {
    return this.#blocking.has(name.toLowerCase())
  }

  isAboutScripts(name: string): boolean {
    return ABOUT_SCRIPTS.has(name) || ABOUT_SCRIPTS.has(name.toLowerCase())
  }

  /** Undefined: a command that was too long to be kept. */
  mayBlockAs(bytes: string | undefined): boolean {
    return bytes !== undefined && this.mayBlock(wordsOf(bytes)[0] ?? '')
  }

  /** If it has no answer, its client is closed, and told no error. */
  isClosedAs(bytes: string | undefined): boolean {
    if (bytes === undefined) return false
    const name = wordsOf(bytes)[0]?.toLowerCase() ?? ''
    return PUBLISHING.has(name) || this.mayBlock(name)
  }

  #note(name: string, kind: CommandKind): void {
    this.#kinds.set(name, kind)
    this.#kinds.set(name.toUpperCase(), kind)
  }
}
