/**
 * The effects of a step as text, so that those of the living machine and those of the machine that
 * is played from its record can be compared byte by byte. Secrets are named as in the record
 * (secrets.ts). What a client is answered that has asked for users or settings is left out: only
 * that it was answered is compared.
 */
import type { AnnouncedEvent } from '../core/announced-event.ts'
import type { Effect } from '../core/effect.ts'
import type { ClientId } from '../core/ids.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import type { Purpose } from '../core/purpose.ts'
import type { State } from '../core/state.ts'
import { encodeReply } from '../resp/encode.ts'
import {
  type Echoes,
  type Hiding,
  hideAclFile,
  hideName,
  hideProperty,
  withoutEchoes,
} from './secrets.ts'
import { SeenTexts } from './seen-texts.ts'

/** What a Sentinel tells other processes to do; anything else is a name given by [rename-command]. */
const VERBS: ReadonlySet<string> = new Set(
  ['AUTH', 'CLIENT', 'CONFIG', 'EXEC', 'FAILOVER', 'FENCE', 'INFO', 'MULTI', 'PING'].concat([
    'PUBLISH',
    'REPLICAOF',
    'ROLE',
    'SCRIPT',
    'SENTINEL',
    'SLAVEOF',
    'SUBSCRIBE',
  ]),
)

/**
 * For users, settings, the record itself, or whole INFO texts, of which a record keeps a part (info-lines.ts). A
 * renamed command may be any of them.
 */
const ASKING = /acl|config|info-cache|black-box|hidden-/i

export const NO_ECHOES: Echoes = new Map()

export class EffectTexts {
  readonly #hiding: Hiding
  /** Clients whose answers may contain secrets. */
  readonly #confidants = new Set<ClientId>()
  /** Requests that ask for none of it. */
  readonly #plain = new SeenTexts()
  /** All saves of a step have the same state (`lasting`), and a client can ask for a thousand of them at once. */
  readonly #saves = new WeakMap<SavedState, string>()

  constructor(hiding: Hiding) {
    this.#hiding = hiding
  }

  /** `bytes`: what is recorded of a client's request. */
  heard(client: ClientId, bytes: string): void {
    if (this.#plain.has(bytes)) return
    if (ASKING.test(bytes)) this.#confidants.add(client)
    else this.#plain.add(bytes)
  }

  /** As an image says: these have asked before. */
  trust(clients: readonly ClientId[]): void {
    for (const client of clients) this.#confidants.add(client)
  }

  forget(client: ClientId): void {
    this.#confidants.delete(client)
  }

  /** Which clients these are, for an image of the machine. */
  get confidants(): readonly ClientId[] {
    return [...this.#confidants]
  }

  /** `echoes`: secrets that the texts may repeat, because somebody has just said them. */
  textOf(effects: readonly Effect[], echoes: Echoes = NO_ECHOES): string {
    let text = ''
    for (const effect of effects) text += `${this.#one(effect)}\n`
    return withoutEchoes(text, echoes)
  }

  /** The same in pieces: a client can ask for megabytes of answers at once. */
  *piecesOf(effects: readonly Effect[], echoes: Echoes = NO_ECHOES): Generator<string> {
    if (echoes.size > 0) yield this.textOf(effects, echoes)
    else for (const effect of effects) yield `${this.#one(effect)}\n`
  }

  /** Mixes what `textOf` would say into the hash of a block, without making it for the most frequent effects. */
  mix(hash: number, effects: readonly Effect[], echoes: Echoes = NO_ECHOES): number {
    let mixed = hash
    for (const effect of effects) {
      if (effect.kind !== 'send') mixed = mixText(mixed, withoutEchoes(this.#one(effect), echoes))
      else {
        mixed = mixText(mixNumber(mixed, effect.link), effect.purpose.kind)
        for (const word of this.#words(effect)) mixed = mixText(mixed, withoutEchoes(word, echoes))
      }
    }
    return mixed
  }

  #one(effect: Effect): string {
    switch (effect.kind) {
      case 'save':
        return this.#saveText(effect.state())
      case 'respond':
        return this.#confidants.has(effect.client)
          ? `respond ${effect.client}`
          : `respond ${effect.client} ${encodeReply(effect.reply, effect.protocol)}`
      case 'send':
        return `send ${effect.link} ${purposeText(effect.purpose)} ${JSON.stringify(this.#words(effect))}`
      case 'inquire':
        return effect.question.kind === 'writeAclFile'
          ? `inquire ${effect.inquiry} ${hideAclFile(this.#hiding, effect.question.text)}`
          : JSON.stringify(effect)
      case 'log':
        return JSON.stringify({ ...effect, event: effect.event && inOrder(effect.event) })
      default:
        return JSON.stringify(effect)
    }
  }

  #saveText(saved: SavedState): string {
    const text = this.#saves.get(saved) ?? `save ${this.#json(saved)}`
    this.#saves.set(saved, text)
    return text
  }

  #words({ purpose, argv }: Effect & { kind: 'send' }): readonly string[] {
    const [verb = ''] = argv
    if (purpose.kind !== 'auth' && VERBS.has(verb)) return argv
    const words = [VERBS.has(verb) ? verb : hideName(this.#hiding, verb), ...argv.slice(1)]
    if (purpose.kind === 'auth') words.push(this.#hiding.text(words.pop() ?? ''))
    return words
  }

  #json(value: unknown): string {
    return JSON.stringify(value, (key, one) => hideProperty(this.#hiding, key, one))
  }
}

/** Without what purposes have had only since there are records: nothing that an instance is sent depends on it. */
function purposeText(purpose: Purpose): string {
  return JSON.stringify(purpose.kind === 'slaveof' ? { ...purpose, promotes: undefined } : purpose)
}

/**
 * The properties in the order that records have: digests of other versions are compared with this text, and it must
 * not change with the code that makes an event.
 */
function inOrder(event: AnnouncedEvent): AnnouncedEvent {
  const { name, details, by, atMs, group, instance, epoch, evidence, level, payload } = event
  return { name, details, by, atMs, group, instance, epoch, evidence, level, payload }
}

/** The hash of a block in which nothing was said: FNV-1a with 32 bits, which notices a difference and fends off no forger. */
export const NOTHING_SAID = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

export function mixText(hash: number, text: string): number {
  let mixed = hash
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), FNV_PRIME)
  return mixNumber(mixed, text.length)
}

function mixNumber(hash: number, number: number): number {
  return Math.imul(hash ^ number, FNV_PRIME)
}

/** Of all pieces as one text: SHA-256 in hex. */
export type PiecesDigest = (pieces: Iterable<string>) => string

/** How much of the digest of a step is kept: enough to notice a difference, not to fend off a forger. */
const STEP_DIGEST_CHARACTERS = 8

/** The effects with which a Sentinel only talks. */
const TALK: ReadonlySet<Effect['kind']> = new Set([
  'send',
  'respond',
  'openLink',
  'closeLink',
  'awaitDrain',
  'closeClient',
] as const)

export function isTalk({ kind }: Effect): boolean {
  return TALK.has(kind)
}

export function isNotable(effects: readonly Effect[]): boolean {
  return !effects.every(isTalk)
}

export function stepDigest(digest: PiecesDigest, pieces: Iterable<string>): string {
  return digest(pieces).slice(0, STEP_DIGEST_CHARACTERS)
}

/** With more groups it is not compared what was saved: with a thousand its text would take longer than all else. */
const MOST_GROUPS_COMPARED = 16
const NOT_COMPARED: SavedState = {
  ...{ myid: '', currentEpoch: 0, groups: [], removed: [] },
  ...{ settings: undefined, users: undefined },
}

/** What the machine has just done, as it can be put into words later: what it saves is asked for at once. */
export function lasting(effects: readonly Effect[], { groups }: State): readonly Effect[] {
  let saved = groups.size > MOST_GROUPS_COMPARED ? NOT_COMPARED : undefined
  return effects.map((effect) => {
    if (effect.kind !== 'save') return effect
    saved ??= effect.state()
    const state = saved
    return { ...effect, state: () => state }
  })
}

/** What a step did, without words: kinds of effects, and names of events. */
export function shapeOf(effects: readonly Effect[]): string {
  return effects
    .map((effect) => (effect.kind === 'log' ? `log ${effect.event?.name ?? ''}` : effect.kind))
    .join()
}
