/**
 * [SLOWLOG of Redis, COMMANDLOG of Valkey 8.1] The last commands that took long, came as a large request, or had a large
 * reply. Long words are kept shortened.
 */

import { array, bulk, bulks, integer, type Reply } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { IntSetting, Settings } from '../settings/settings.ts'
import { withoutSecrets } from './monitors.ts'

const MAX_WORDS = 32
const MAX_WORD_BYTES = 128

interface LoggedCommand {
  readonly id: number
  /** Wall clock. */
  readonly atSeconds: number
  /** Microseconds, or bytes. */
  readonly value: number
  readonly words: readonly string[]
  readonly address: string
  readonly clientName: string
}

/** A command that has run, or passed the gate into a transaction. */
interface CommandRun {
  readonly client: ClientSession
  readonly command: CommandInfo
  readonly argv: readonly string[]
  /** Wall clock. */
  readonly nowMs: number
}

export class CommandLogs {
  readonly slow: CommandLog
  readonly #largeRequests: CommandLog
  readonly #largeReplies: CommandLog

  constructor(settings: Settings) {
    this.slow = new CommandLog(settings, 'slowlog-log-slower-than', 'slowlog-max-len')
    this.#largeRequests = new CommandLog(
      settings,
      'commandlog-request-larger-than',
      'commandlog-large-request-max-len',
    )
    this.#largeReplies = new CommandLog(
      settings,
      'commandlog-reply-larger-than',
      'commandlog-large-reply-max-len',
    )
  }

  /** Undefined: there is no log of this kind. */
  ofKind(kind: string): CommandLog | undefined {
    switch (kind.toLowerCase()) {
      case 'slow':
        return this.slow
      case 'large-request':
        return this.#largeRequests
      case 'large-reply':
        return this.#largeReplies
      default:
        return undefined
    }
  }

  /** The client's request is carried out, or queued. */
  requested(
    client: ClientSession,
    command: CommandInfo,
    argv: readonly string[],
    nowMs: number,
  ): void {
    if (client.requestBytes < this.#largeRequests.threshold) return
    this.#largeRequests.note({ client, command, argv, nowMs }, client.requestBytes)
  }

  /** It is answered. `before`: what `answeredBytes` of the client was before the command ran. */
  answered(
    client: ClientSession,
    command: CommandInfo,
    argv: readonly string[],
    nowMs: number,
    before: number,
  ): void {
    const bytes = client.answeredBytes - before
    const { longReply } = client
    if (longReply === undefined && bytes < this.#largeReplies.threshold) return
    client.longReply = undefined
    const run = { client, command, argv, nowMs }
    // How many bytes a long reply has is known when the last of them is written, in a later turn.
    if (longReply === undefined) this.#largeReplies.note(run, bytes)
    else longReply.onDone = () => this.#largeReplies.note(run, bytes + longReply.writtenBytes)
  }
}

export class CommandLog {
  /** From which value on a command is kept; infinite: none is. */
  threshold = Number.POSITIVE_INFINITY
  readonly #settings: Settings
  readonly #maxLength: IntSetting
  /** The last one first. */
  #entries: LoggedCommand[] = []
  #nextId = 0

  constructor(settings: Settings, threshold: IntSetting, maxLength: IntSetting) {
    this.#settings = settings
    this.#maxLength = maxLength
    const follow = () => {
      const value = settings.int(threshold)
      this.threshold = value < 0 ? Number.POSITIVE_INFINITY : value
    }
    settings.onChange(threshold, follow)
    follow()
  }

  get length(): number {
    return this.#entries.length
  }

  note({ client, command, argv, nowMs }: CommandRun, value: number): void {
    if (value < this.threshold || command.skipsSlowLog) return
    this.#entries.unshift({
      id: this.#nextId++,
      atSeconds: Math.floor(nowMs / 1000),
      value,
      words: shortened(withoutSecrets(command, argv)),
      address: client.isScript ? '?:0' : client.address,
      clientName: client.name,
    })
    const max = this.#settings.int(this.#maxLength)
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

function entryReply({ id, atSeconds, value, words, address, clientName }: LoggedCommand): Reply {
  return array([
    ...[id, atSeconds, value].map(integer),
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
