/**
 * One webhook: takes the events it is to get out of its queue and POSTs them one by one. What to try again,
 * and when, is the queue's decision; this is its clock, its sockets and its lines in the log.
 */
import { createHmac } from 'node:crypto'
import { Agent as PlainAgent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Rng } from '../../base/rng.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import { type Delivery, type DeliveryOutcome, DeliveryQueue } from '../../hooks/delivery-queue.ts'
import { filterOf, type WebhookConfig, type WebhookFilter } from '../../hooks/webhook-config.ts'
import { deliveryId, type WebhookSender, webhookMessage } from '../../hooks/webhook-message.ts'
import { LineBudget } from '../log/line-budget.ts'
import type { Logger } from '../log/logger.ts'
import { reasonOf } from '../start-error.ts'
import { type HttpOutcome, httpPost } from './http-post.ts'
import { readAuthorities, readSecret } from './webhook-files.ts'

export interface WebhookSurroundings {
  readonly sender: Omit<WebhookSender, 'runId'>
  readonly logger: Pick<Logger, 'log'>
  readonly rng: Rng
}

/** An idle connection is kept this long: the events of one failover come within seconds. */
const KEEP_ALIVE_MS = 10_000
const MINUTE_MS = 60_000
const DROPS_PER_MINUTE = 1

export class Webhook {
  readonly config: WebhookConfig
  readonly #surroundings: WebhookSurroundings
  readonly #filter: WebhookFilter
  readonly #queue: DeliveryQueue<AnnouncedEvent>
  readonly #agent: PlainAgent
  readonly #budget = new LineBudget(DROPS_PER_MINUTE, MINUTE_MS)
  readonly #startedMs = Date.now()
  #secret: string | undefined
  #timer: NodeJS.Timeout | undefined
  /** The last failure that the log was told of; undefined: the receiver is well. */
  #trouble: string | undefined
  #isClosed = false

  /** Throws a StartError if a file or variable that it needs cannot be read. */
  constructor(config: WebhookConfig, surroundings: WebhookSurroundings) {
    this.config = config
    this.#surroundings = surroundings
    this.#filter = filterOf(config)
    this.#queue = new DeliveryQueue(config, surroundings.rng)
    this.#secret = readSecret(config)
    this.#agent = agentFor(config)
  }

  /** Returns at once: the Sentinel does not wait for anything that a receiver does. */
  offer(event: AnnouncedEvent): void {
    if (this.#isClosed || event.level === 'debug') return
    if (!this.#filter(event.name, event.group?.name)) return
    if (this.#queue.offer(event)) this.#dropped('its queue is full')
    // Otherwise a timer is set for what is before it.
    if (this.#timer === undefined) this.#schedule()
  }

  /** Reads the secret again. Throws a StartError if it cannot, and keeps the old one. */
  rereadSecret(): void {
    this.#secret = readSecret(this.config)
  }

  /** Sends nothing more. Returns how many events are lost by that. */
  close(): number {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#agent.destroy()
    return this.#queue.size
  }

  #schedule(): void {
    const dueAtMs = this.#queue.dueAtMs()
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (dueAtMs === undefined || this.#isClosed) return
    // Never in the turn of the Sentinel that announced the event.
    this.#timer = setTimeout(() => this.#deliver(), Math.max(0, dueAtMs - nowMs()))
    this.#timer.unref()
  }

  #deliver(): void {
    this.#timer = undefined
    const delivery = this.#queue.take(nowMs())
    if (delivery === undefined) return this.#schedule()
    void this.#attempt(delivery).then((outcome) => {
      if (!this.#isClosed) this.#attempted(delivery, outcome)
    })
  }

  async #attempt(delivery: Delivery<AnnouncedEvent>): Promise<HttpOutcome> {
    const { url, template, headers, timeoutMs } = this.config
    const { item, sequence, dropped } = delivery
    const { sender } = this.#surroundings
    const id = deliveryId({ ...sender, runId: item.by }, this.#startedMs, sequence)
    const time = new Date(item.atMs).toISOString()
    const place = { time, sequence, dropped }
    const { contentType, body } = webhookMessage(template, item, sender, id, place)
    try {
      return await httpPost({
        ...{ url, body, timeoutMs, agent: this.#agent, wantsBody: false },
        headers: {
          'content-type': contentType,
          'user-agent': 'vedette',
          ...signatureHeaders(this.#secret, id, body),
          ...Object.fromEntries(headers),
        },
      })
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error) }
    }
  }

  #attempted({ item, attempt }: Delivery<AnnouncedEvent>, outcome: HttpOutcome): void {
    const verdict = verdictOn(outcome)
    const result = this.#queue.conclude(nowMs(), verdict)
    if (result === 'taken') this.#recovered(attempt)
    else if (result === 'dropped') this.#dropped(`${item.name}: ${reasonIn(outcome)}`)
    else this.#failed(reasonIn(outcome), result.againInMs)
    this.#schedule()
  }

  #recovered(attempt: number): void {
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    const lost = this.#queue.dropped === 0 ? '' : `; ${this.#queue.dropped} were dropped so far`
    this.#log('notice', `accepts events again, after ${attempt} attempts${lost}`)
  }

  #failed(reason: string, againInMs: number): void {
    if (this.#trouble === reason) return
    this.#trouble = reason
    this.#log('warning', `${reason}; next attempt in ${Math.round(againInMs)} ms`)
  }

  #dropped(reason: string): void {
    this.#trouble ??= reason
    const heldBack = this.#budget.spend(nowMs())
    if (heldBack === undefined) return
    this.#log('warning', `an event is dropped, ${reason}; ${this.#queue.dropped} so far`)
  }

  /** The URL may be a secret by itself, as those of chat systems are: its host is enough. */
  #log(level: 'notice' | 'warning', text: string): void {
    const { name, url } = this.config
    this.#surroundings.logger.log(level, `webhook ${name} (${new URL(url).host}): ${text}`)
  }
}

/** Monotonic: what waits is not to depend on a clock that is set. */
function nowMs(): number {
  return performance.now()
}

/** These mean "later"; any other refusal of a client's request would be repeated for ever. */
const AGAIN = [408, 425, 429]

function verdictOn(outcome: HttpOutcome): DeliveryOutcome {
  if (outcome.kind === 'failed') return { kind: 'failed', retryAfterMs: undefined }
  const { status, retryAfterMs } = outcome
  if (status >= 200 && status < 300) return { kind: 'taken' }
  const isFinal = status >= 300 && status < 500 && !AGAIN.includes(status)
  return isFinal ? { kind: 'unwanted' } : { kind: 'failed', retryAfterMs }
}

function reasonIn(outcome: HttpOutcome): string {
  if (outcome.kind === 'failed') return outcome.reason
  const { status, location } = outcome
  if (status < 300 || status > 399) return `it answers ${status}`
  const to = URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `it answers ${status}, a redirect${to}, which is not followed: set url to where it leads`
}

/**
 * As "Standard Webhooks" defines it, for which receivers have libraries: the id, the time and the body are
 * signed, so that an attacker can neither change one nor send it again later.
 */
export function signatureHeaders(
  secret: string | undefined,
  id: string,
  body: string,
  nowSeconds = Math.floor(Date.now() / 1_000),
): Record<string, string> {
  const stamp = { 'webhook-id': id, 'webhook-timestamp': String(nowSeconds) }
  if (secret === undefined) return stamp
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${nowSeconds}.${body}`)
  return { ...stamp, 'webhook-signature': `v1,${hmac.digest('base64')}` }
}

/** `whsec_` and base64, as the libraries make them, or the bytes of the text. */
function keyOf(secret: string): Buffer {
  const prefix = 'whsec_'
  if (!secret.startsWith(prefix)) return Buffer.from(secret, 'utf8')
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

function agentFor(config: WebhookConfig): PlainAgent {
  const { url } = config
  const keep = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, timeout: KEEP_ALIVE_MS }
  if (!url.toLowerCase().startsWith('https:')) return new PlainAgent(keep)
  const ca = readAuthorities(config)
  return new TlsAgent(ca === undefined ? keep : { ...keep, ca })
}
