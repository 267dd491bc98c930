/**
 * What comes in on a link, matched to what was asked: only replies that are whole, well formed and
 * expected are told. An answer nobody asked for, a push on a RESP2 connection or a malformed subscription
 * ends the link: an instance must not be able to take its Sentinels down, or to fill their memory, with
 * a few odd bytes.
 */
import type { Purpose } from '../core/purpose.ts'
import type { Reply } from '../resp/reply.ts'
import { type Malformed, ReplyDecoder } from '../resp/reply-decoder.ts'

/** The largest honest reply is the INFO of a master with very many replicas. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024

const LIMITS = {
  maxBulkBytes: MAX_REPLY_BYTES,
  maxReplyBytes: MAX_REPLY_BYTES,
  maxNesting: 8,
}

export type Heard =
  | { readonly kind: 'reply'; readonly purpose: Purpose; readonly reply: Reply }
  | { readonly kind: 'message'; readonly channel: string; readonly payload: string }
  /** The other side is not to be believed any more: close the connection. */
  | { readonly kind: 'fault'; readonly reason: string }

/** Feed with `push`, then call `next` until it gives undefined. Ends with the first fault. */
export class LinkInput {
  readonly #decoder = new ReplyDecoder(LIMITS)
  /** What the replies still to come were asked for. */
  readonly #owed: Purpose[] = []
  #isSubscribed = false

  /** A command is on its way; its reply may come. */
  expect(purpose: Purpose): void {
    this.#owed.push(purpose)
  }

  push(bytes: string): void {
    this.#decoder.push(bytes)
  }

  /** What has been heard next; undefined: it is not here yet. */
  next(): Heard | undefined {
    const reply = this.#decoder.next()
    return reply === undefined ? undefined : this.#judge(reply)
  }

  #judge(reply: Reply | Malformed): Heard {
    if (reply.kind === 'malformed') return fault(reply.text)
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
  return { kind: 'fault', reason: `protocol error: ${text}` }
}

function readMessage(reply: Reply): Heard | undefined {
  if (!isTriple(reply, 'message', 'bulk')) return undefined
  const [, channel, payload] = reply.items
  if (channel?.kind !== 'bulk' || payload?.kind !== 'bulk') return undefined
  return { kind: 'message', channel: channel.bytes, payload: payload.bytes }
}

/** `[type, channel, something of this kind]`, the shape of all we accept on a subscribed link. */
function isTriple(
  reply: Reply,
  type: string,
  kind: Reply['kind'],
): reply is Reply & { kind: 'array' } {
  if (reply.kind !== 'array' || reply.items.length !== 3) return false
  const [first, second, third] = reply.items
  return (
    first?.kind === 'bulk' &&
    first.bytes === type &&
    second?.kind === 'bulk' &&
    third?.kind === kind
  )
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
