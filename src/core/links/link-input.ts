/**
 * What comes in on a link, matched to what was asked: only replies that are whole, well formed and
 * expected are passed on. An unexpected reply, a push on a RESP2 connection or a malformed subscription
 * ends the link: an instance must not be able to crash its Sentinels, or to fill their memory, with a few
 * odd bytes.
 */
import type { Reply } from '../../resp/reply.ts'
import { type Malformed, ReplyDecoder, type ReplyLimits } from '../../resp/reply-decoder.ts'
import type { Purpose } from '../purpose.ts'

/** The INFO of a master with ten thousand replicas takes one. */
const MAX_INFO_BYTES = 4 * 1024 * 1024
/** Every other honest reply, and every hello, is shorter than a thousandth of it. */
const MAX_REPLY_BYTES = 128 * 1024
/** The longest honest reply is that of a transaction: one value for each command. */
const MAX_ITEMS = 64

const LIMITS: ReplyLimits = {
  maxBulkBytes: MAX_REPLY_BYTES,
  maxReplyBytes: MAX_REPLY_BYTES,
  maxNesting: 4,
  maxItems: MAX_ITEMS,
}

const INFO_LIMITS: ReplyLimits = {
  ...LIMITS,
  maxBulkBytes: MAX_INFO_BYTES,
  maxReplyBytes: MAX_INFO_BYTES,
}

/** The reason begins with this if a connection ends because the other side sent nonsense. */
export const PROTOCOL_FAULT = 'protocol error: '

export type Heard =
  | { readonly kind: 'reply'; readonly purpose: Purpose; readonly reply: Reply }
  | { readonly kind: 'message'; readonly channel: string; readonly payload: string }
  /** The other side cannot be trusted any more: close the connection. */
  | { readonly kind: 'fault'; readonly reason: string }

/** A hello has some three hundred characters with what is around it; an INFO never comes twice. */
const MAX_KNOWN_CHARACTERS = 512
const MAX_KNOWN_REPLIES = 4
/** A thousand groups of five Sentinels say five thousand different hellos. An instance that says something new each time must not fill the memory. */
const MAX_KNOWN_PIECES = 8192

/**
 * Pieces of whole replies that came in on any link, and what was in them: PONG, and the hello that a peer says every two seconds on each
 * instance of a group. They need not be read again, and whoever compares such a string with the one before has the same one.
 */
export class KnownPieces {
  readonly #replies = new Map<string, readonly Reply[]>()

  repliesIn(piece: string): readonly Reply[] | undefined {
    return piece.length > MAX_KNOWN_CHARACTERS ? undefined : this.#replies.get(piece)
  }

  keep(piece: string, replies: readonly Reply[]): void {
    if (piece.length > MAX_KNOWN_CHARACTERS || replies.length > MAX_KNOWN_REPLIES) return
    if (this.#replies.size >= MAX_KNOWN_PIECES) this.#replies.clear()
    this.#replies.set(piece, replies)
  }
}

/** A piece that is being read for the first time. */
interface NewPiece {
  readonly bytes: string
  readonly replies: Reply[]
}

/** Feed it with `push`, then call `next` until it returns undefined. The first fault ends it. */
export class LinkInput {
  readonly #decoder = new ReplyDecoder(LIMITS)
  readonly #pieces: KnownPieces
  /** Of a piece that was known, and how many of them have been returned. */
  #known: readonly Reply[] = []
  #returned = 0
  #newPiece: NewPiece | undefined
  #isMalformed = false
  /** The purposes of the commands whose replies are still to come. */
  readonly #owed: Purpose[] = []
  #isSubscribed = false

  /** `pieces`: of all links of a Sentinel. */
  constructor(pieces = new KnownPieces()) {
    this.#pieces = pieces
  }

  /** Bytes received that do not belong to anything returned yet. */
  get pendingBytes(): number {
    return this.#decoder.pendingBytes
  }

  /** A command is on its way; its reply may come. */
  expect(purpose: Purpose): void {
    this.#owed.push(purpose)
  }

  push(bytes: string): void {
    const known = this.#isBetweenPieces ? this.#pieces.repliesIn(bytes) : undefined
    this.#newPiece = undefined
    if (known !== undefined) {
      this.#known = known
      this.#returned = 0
      return
    }
    if (this.#isBetweenPieces) this.#newPiece = { bytes, replies: [] }
    this.#decoder.push(bytes)
  }

  /** All that came before has been returned. */
  get #isBetweenPieces(): boolean {
    if (this.#isMalformed || this.#returned < this.#known.length) return false
    return this.#decoder.pendingBytes === 0
  }

  /** The next thing heard; undefined if it has not arrived yet. */
  next(): Heard | undefined {
    const known = this.#known[this.#returned]
    if (known !== undefined) {
      this.#returned++
      return this.#judge(known)
    }
    const reply = this.#read()
    return reply === undefined ? undefined : this.#judge(reply)
  }

  #read(): Reply | Malformed | undefined {
    this.#decoder.allow(this.#owed[0]?.kind === 'info' ? INFO_LIMITS : LIMITS)
    const reply = this.#decoder.next()
    if (reply === undefined) this.#keepPiece()
    else if (reply.kind !== 'malformed') this.#newPiece?.replies.push(reply)
    return reply
  }

  #keepPiece(): void {
    const piece = this.#newPiece
    if (piece !== undefined && this.#isBetweenPieces) this.#pieces.keep(piece.bytes, piece.replies)
    this.#newPiece = undefined
  }

  #judge(reply: Reply | Malformed): Heard {
    if (reply.kind === 'malformed') {
      this.#isMalformed = true
      return fault(reply.text)
    }
    if (!isResp2(reply)) return fault(`a ${reply.kind} on a RESP2 connection`)
    const message = this.#isSubscribed ? readMessage(reply) : undefined
    return message ?? this.#answer(reply)
  }

  #answer(reply: Reply): Heard {
    const purpose = this.#owed.shift()
    if (purpose === undefined) return fault('a reply nobody asked for')
    if (purpose.kind === 'subscribe' && reply.kind !== 'error') {
      if (!isTriple(reply, 'subscribe', 'integer')) return fault('a malformed subscription')
      this.#isSubscribed = true
    } else if (this.#isSubscribed && reply.kind === 'array') {
      return fault('a malformed message')
    }
    return { kind: 'reply', purpose, reply }
  }
}

function fault(text: string): Heard {
  return { kind: 'fault', reason: `${PROTOCOL_FAULT}${text}` }
}

function readMessage(reply: Reply): Heard | undefined {
  if (!isTriple(reply, 'message', 'bulk')) return undefined
  const channel = reply.items[1]
  const payload = reply.items[2]
  if (channel?.kind !== 'bulk' || payload?.kind !== 'bulk') return undefined
  return { kind: 'message', channel: channel.bytes, payload: payload.bytes }
}

/** `[type, channel, value of this kind]`, the shape of all we accept on a subscribed link. */
function isTriple(
  reply: Reply,
  type: string,
  kind: Reply['kind'],
): reply is Reply & { kind: 'array' } {
  if (reply.kind !== 'array' || reply.items.length !== 3) return false
  const first = reply.items[0]
  if (first?.kind !== 'bulk' || first.bytes !== type) return false
  return reply.items[1]?.kind === 'bulk' && reply.items[2]?.kind === kind
}

function isResp2(reply: Reply): boolean {
  switch (reply.kind) {
    case 'simple':
    case 'error':
    case 'integer':
    case 'bulk':
    case 'null':
    case 'nullArray':
      return true
    case 'array':
      return reply.items.every(isResp2)
    default:
      return false
  }
}
