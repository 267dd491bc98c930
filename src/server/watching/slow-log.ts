/**
 * [slowlog-log-slower-than] The commands that took longest lately, for SLOWLOG. Long commands are
 * kept shortened.
 */
import { array, bulk, bulks, integer, type Reply } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { Settings } from '../settings/settings.ts'
import { withoutSecrets } from './monitors.ts'

const MAX_WORDS = 32
const MAX_WORD_BYTES = 128

interface SlowCommand {
  readonly id: number
  /** Wall clock. */
  readonly atSeconds: number
  readonly micros: number
  readonly words: readonly string[]
  readonly address: string
  readonly clientName: string
}

export class SlowLog {
  readonly #settings: Settings
  /** The last one first. */
  #entries: SlowCommand[] = []
  #nextId = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get length(): number {
    return this.#entries.length
  }

  /** The client's command took so long. */
  note(
    client: ClientSession,
    command: CommandInfo,
    argv: readonly string[],
    micros: number,
    nowMs: number,
  ): void {
    const limit = this.#settings.int('slowlog-log-slower-than')
    if (limit < 0 || micros < limit || command.skipsSlowLog) return
    this.#entries.unshift({
      id: this.#nextId++,
      atSeconds: Math.floor(nowMs / 1000),
      micros,
      words: shortened(withoutSecrets(command, argv)),
      address: client.isScript ? '?:0' : client.address,
      clientName: client.name,
    })
    const max = this.#settings.int('slowlog-max-len')
    if (this.#entries.length > max) this.#entries.length = max
  }

  /** The last ones; -1: all. */
  reply(count: number): Reply {
    const shown = count < 0 ? this.#entries : this.#entries.slice(0, count)
    return array(shown.map(entryReply))
  }

  clear(): void {
    this.#entries = []
  }
}

function entryReply({ id, atSeconds, micros, words, address, clientName }: SlowCommand): Reply {
  return array([
    ...[id, atSeconds, micros].map(integer),
    bulks(words),
    bulk(address),
    bulk(clientName),
  ])
}

function shortened(words: readonly string[]): string[] {
  const shown = words.length > MAX_WORDS ? words.slice(0, MAX_WORDS - 1) : words
  const short = shown.map(shortenedWord)
  if (shown === words) return short
  return [...short, `... (${words.length - MAX_WORDS + 1} more arguments)`]
}

function shortenedWord(word: string): string {
  if (word.length <= MAX_WORD_BYTES) return word
  return `${word.slice(0, MAX_WORD_BYTES)}... (${word.length - MAX_WORD_BYTES} more bytes)`
}
