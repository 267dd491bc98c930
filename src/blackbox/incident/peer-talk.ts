/**
 * What a Sentinel asked its peers and was asked by them, and when, from its own record. Only what is said for the first
 * time counts, so that a question that was heard can be no other one than the question that was sent: requests that name
 * an epoch, and hellos that are news on both sides. All times are of the monotonic clock of that Sentinel.
 */
import type { State } from '../../core/state.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import type { PlayedStep } from '../player.ts'

/** The first time a question was asked, and the first answer to one with its purpose. */
export interface AskedQuestion {
  readonly sentAtMs: number
  answeredAtMs: number | undefined
}

/** How peers name their connections: the beginning of their run id. */
const NAMED_PEER = /^sentinel-([0-9a-f]{8})-cmd$/
const ID_CHARACTERS = 8
const TELLING = new Set(['ask', 'confer', 'hello'])

export class PeerTalk {
  readonly #shortId: string
  /** By question, which begins with the short ids of both Sentinels. */
  readonly asked = new Map<string, AskedQuestion>()
  readonly heard = new Map<string, number>()
  /** By link and purpose: the questions that are not answered, in their order; undefined: it is not known which. */
  readonly #open = new Map<string, (string | undefined)[]>()
  /** By both Sentinels and group: the last hello. */
  readonly #hellos = new Map<string, string>()

  constructor(myid: string) {
    this.#shortId = myid.slice(0, ID_CHARACTERS)
  }

  /** Answers may be due to what was asked before the record begins: at most as many as there are requests. */
  begin(state: State): void {
    for (const { id, link, pending } of state.connections.values()) {
      for (const { kind, group } of link.owners) {
        const purpose = { kind: 'hello', group: group.config.name }
        if (kind === 'sentinel')
          this.#open.set(placeOf(id, purpose), Array(pending).fill(undefined))
      }
    }
  }

  note({ state, now: { monoMs }, event, effects }: PlayedStep): void {
    if (event.kind === 'received') this.#heard(state, event.client, event.bytes, monoMs)
    if (event.kind === 'reply') this.#answered(event.link, event.purpose, monoMs)
    for (const effect of effects) {
      if (effect.kind === 'send' && TELLING.has(effect.purpose.kind))
        this.#ask(state, effect.link, effect.purpose, effect.argv, monoMs)
    }
  }

  #ask(state: State, link: number, purpose: object, argv: readonly string[], monoMs: number): void {
    const [peer] = state.connections.get(link)?.link.owners ?? []
    if (peer?.kind !== 'sentinel') return
    const ends = `${this.#shortId} ${peer.runId.slice(0, ID_CHARACTERS)}`
    const question = `${ends} ${argv.join(' ')}`
    const place = placeOf(link, purpose)
    const open = this.#open.get(place) ?? []
    this.#open.set(place, open)
    const isNews = this.#isNews(ends, argv)
    open.push(isNews || this.asked.has(question) ? question : undefined)
    if (isNews && !this.asked.has(question))
      this.asked.set(question, { sentAtMs: monoMs, answeredAtMs: undefined })
  }

  #answered(link: number, purpose: object, monoMs: number): void {
    if (this.#open.size === 0) return
    const asked = this.asked.get(this.#open.get(placeOf(link, purpose))?.shift() ?? '')
    if (asked !== undefined) asked.answeredAtMs ??= monoMs
  }

  #heard(state: State, client: number, bytes: string, monoMs: number): void {
    const [, peer] = NAMED_PEER.exec(state.clients.get(client)?.name ?? '') ?? []
    if (peer === undefined || !/SENTINEL/i.test(bytes)) return
    const ends = `${peer} ${this.#shortId}`
    const decoder = new RequestDecoder()
    decoder.push(bytes)
    for (let request = decoder.next(); request?.kind === 'command'; request = decoder.next()) {
      const question = `${ends} ${request.argv.join(' ')}`
      if (this.#isNews(ends, request.argv) && !this.heard.has(question))
        this.heard.set(question, monoMs)
    }
  }

  /**
   * A hello is repeated, and repetitions look alike: it is news if it follows another one. The first one of a record
   * may have been said long before. It never comes back, for epochs only grow.
   */
  #isNews(ends: string, [command = '', , text = '']: readonly string[]): boolean {
    if (command.toUpperCase() !== 'PUBLISH') return true
    const place = `${ends} ${text.split(',')[4]}`
    const before = this.#hellos.get(place)
    this.#hellos.set(place, text)
    return before !== undefined && before !== text
  }
}

function placeOf(link: number, purpose: object): string {
  return `${link} ${JSON.stringify(purpose)}`
}
