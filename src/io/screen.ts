/**
 * The screen stands between a socket and ioredis: only replies that are whole, well formed and expected
 * get through, encoded anew. ioredis trusts the server: an answer nobody asked for, a push on a RESP2
 * connection or a malformed subscription message makes it throw where nobody can catch it, and it
 * allocates what a length announces. An instance must not be able to take its Sentinels down with a
 * few odd bytes.
 */

import { encodeReply } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import type { Malformed } from '../resp/reply-decoder.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'

/** The largest honest reply is the INFO of a master with very many replicas. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024

/** What became of a piece of input; after a refusal the connection must be closed. */
export type Screened =
  | { readonly kind: 'passed'; readonly bytes: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** What the next reply answers: a SUBSCRIBE is confirmed by a message of its own shape. */
export type Owed = 'reply' | 'subscription'

export class Screen {
  readonly #decoder = new ReplyDecoder({
    maxBulkBytes: MAX_REPLY_BYTES,
    maxReplyBytes: MAX_REPLY_BYTES,
    maxNesting: 8,
  })
  readonly #owed: Owed[] = []
  #isSubscribed = false

  /** A command is on its way; its reply may come. */
  expect(owed: Owed): void {
    this.#owed.push(owed)
  }

  /** Takes what has arrived and gives what may be passed on, perhaps nothing yet. */
  take(bytes: string): Screened {
    this.#decoder.push(bytes)
    let passed = ''
    for (let reply = this.#decoder.next(); reply !== undefined; reply = this.#decoder.next()) {
      const reason = this.#judge(reply)
      if (reason !== undefined || reply.kind === 'malformed') {
        return { kind: 'refused', reason: `protocol error: ${reason}` }
      }
      passed += encodeReply(reply, 2)
    }
    return { kind: 'passed', bytes: passed }
  }

  #judge(reply: Reply | Malformed): string | undefined {
    if (reply.kind === 'malformed') return reply.text
    if (!isResp2(reply)) return `a ${reply.kind} on a RESP2 connection`
    if (this.#isSubscribed && isMessage(reply)) return undefined
    const owed = this.#owed.shift()
    if (owed === undefined) return 'a reply nobody asked for'
    if (owed === 'subscription' && reply.kind !== 'error') return this.#confirm(reply)
    if (this.#isSubscribed && reply.kind === 'array') return 'a malformed message'
    return undefined
  }

  #confirm(reply: Reply): string | undefined {
    if (!isTriple(reply, 'subscribe', 'integer')) return 'a malformed subscription'
    this.#isSubscribed = true
    return undefined
  }
}

function isMessage(reply: Reply): boolean {
  return isTriple(reply, 'message', 'bulk')
}

/** `[type, channel, something of this kind]`, the shape of all we accept on a subscribed link. */
function isTriple(reply: Reply, type: string, kind: Reply['kind']): boolean {
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
