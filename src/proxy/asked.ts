/**
 * A command that a client has given, or a run of plain ones (plain-commands.ts), and the MULTI it may belong to. Until EXEC nothing has happened on any server,
 * so what was queued can be queued again on another master. Watched keys cannot: another master does not know what has
 * changed since, so EXEC then answers what it answers when a watched key was changed, and the client begins anew.
 */
import type { CommandKind } from './command-kinds.ts'

export interface Asked {
  readonly kind: CommandKind
  /** How many commands it is, and how many of them have no answer. */
  readonly count: number
  left: number
  /** As it goes to a server; undefined: it was too long to be kept, and cannot be sent again. */
  bytes: string | undefined
  /** Its words, if the proxy has to know them. */
  readonly argv: readonly string[] | undefined
  /** Replies that come before its own and are not meant for the client: those of a transaction sent anew. */
  skips: number
  /** Replies still to come; more than one only for subscriptions. */
  repliesLeft: number
  /** `open`: a server owes the answer. `again`: it has to be sent anew. `told`: `answer` is complete. */
  state: 'open' | 'again' | 'told'
  /** What cannot be passed on yet, because something before it is open. */
  answer: string
  /** Queued in a transaction: nothing happens before EXEC. */
  readonly isQueued: boolean
  /** The transaction that it begins, belongs to or ends. */
  transaction: CarriedTransaction | undefined
  /** The client has a part of the answer. */
  isPartlyTold: boolean
  /** Given to the client in place of the reply: of an EXEC whose watched keys cannot be trusted any more, or of what the proxy refuses to queue. */
  instead: string | undefined
}

export function newAsked(
  of: Pick<Asked, 'kind' | 'bytes' | 'argv'> &
    Partial<Pick<Asked, 'transaction' | 'isQueued' | 'count'>>,
): Asked {
  const { kind, bytes, argv, transaction, isQueued = false, count = 1 } = of
  // Written out: spreading objects took an eighth of what a command costs the proxy.
  return {
    kind,
    count,
    left: count,
    bytes,
    argv,
    skips: 0,
    repliesLeft: 1,
    state: 'open',
    answer: '',
    isQueued,
    transaction,
    isPartlyTold: false,
    instead: undefined,
  }
}

/** More than this is not kept for another master. */
const KEPT_BYTES = 1024 * 1024

export class CarriedTransaction {
  /** MULTI and what was queued since, as far as it is kept. */
  #log: Asked[] = []
  #bytes = 0
  /** Keys were watched when it began. */
  readonly isWatching: boolean
  /** EXEC or DISCARD has been sent. */
  isOver = false
  /** A server refused to queue a part of it because it is no master. */
  isMisdirected = false
  /** It cannot go on: why EXEC will do nothing. */
  ended: 'watch' | 'long' | 'refused' | undefined
  #isWhole = true

  constructor(isWatching: boolean) {
    this.isWatching = isWatching
  }

  get log(): readonly Asked[] {
    return this.#log
  }

  /** Its commands take effect on the connection when EXEC succeeds. */
  get effects(): readonly (readonly string[])[] {
    return this.#log.flatMap(({ argv }) => (argv === undefined ? [] : [argv]))
  }

  get canBeSentAgain(): boolean {
    return this.#isWhole && !this.isWatching
  }

  add(asked: Asked): void {
    this.#bytes += asked.bytes?.length ?? 0
    if (asked.bytes === undefined || this.#bytes > KEPT_BYTES) this.#isWhole = false
    if (this.#isWhole) this.#log.push(asked)
    else this.#log = []
  }

  /** Its server is gone before EXEC. */
  moved(): void {
    if (this.isWatching) this.ended = 'watch'
    else if (!this.#isWhole) this.ended = 'long'
  }
}

export function isPubSub(kind: CommandKind): boolean {
  return kind === 'subscribe' || kind === 'unsubscribe'
}

export function isSubscribing([name = '']: readonly string[]): boolean {
  return /subscribe$/i.test(name)
}

/** EXEC did nothing. */
export function isNothing(reply: string): boolean {
  return reply === '*-1\r\n' || reply === '_\r\n' || reply === '$-1\r\n'
}

/** What the present confirmation is about: one channel, or all of them. */
export function confirmedPart(argv: readonly string[], repliesLeft: number): readonly string[] {
  const [name = '', ...channels] = argv
  if (channels.length === 0) return repliesLeft > 0 ? [] : [name]
  return [name, channels[channels.length - repliesLeft - 1] ?? '']
}

/** CLIENT REPLY, and what would have a node lead the client past the proxy: its name; undefined: it may pass. */
export function forNodesOnly([name, word]: readonly string[]): string | undefined {
  const isRefused = /^(reply|maint_notifications)$/i.test(word ?? '')
  return name?.toLowerCase() === 'client' && isRefused ? `CLIENT ${word?.toUpperCase()}` : undefined
}

/** Its answers need no look of their own, as long as they are no errors. */
export function isPlain({ kind, transaction, skips, isPartlyTold, answer }: Asked): boolean {
  if (kind === 'run') return true
  const isUsual = transaction === undefined && skips === 0 && !isPartlyTold && answer === ''
  return isUsual && (kind === 'read' || kind === 'write')
}
