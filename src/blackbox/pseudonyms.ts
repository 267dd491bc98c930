/**
 * Other names for what a record tells of its owner: addresses, host names, groups, users, paths. A pseudonym has
 * the length and the form of what it stands for, and the same thing has the same one everywhere: so the bytes
 * of requests stay whole, and the machine decides the same about it.
 */
import { assert } from '../base/assert.ts'
import { canonicalIp } from '../base/ip.ts'
import type { Rng } from '../base/rng.ts'
import type { State } from '../core/state.ts'

const IPV4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g
const PATH = /(?<=^|[\s="])\/[\w.@+-]+(?:\/[\w.@+-]+)+/g
/** They tell nothing, and mean something to the machine or to the protocol. */
const SPECIAL = /^(?:127\.|0\.|255\.|2(?:2[4-9]|[345]\d)\.)/
/** How peers name their connections. */
const PEER_NAME = /^sentinel-[0-9a-f]{8}-/
/** A shorter name is a part of too many other words. */
const SHORTEST_NAME = 4
/** Words of the protocol and of a record, which nobody may replace. */
const WORDS: ReadonlySet<string> = new Set(
  [
    'default',
    'master',
    'slave',
    'replica',
    'sentinel',
    'redis',
    'vedette',
    'group',
    'groups',
  ].concat(
    ['config', 'event', 'reply', 'info', 'name', 'host', 'port', 'users', 'client', 'message'],
    ['none', 'auto', 'ping', 'true', 'false', 'null', 'localhost', 'kind', 'link', 'bytes'],
  ),
)
/** A form with so few members that most are taken keeps the original. */
const ATTEMPTS = 1_000

export class Pseudonyms {
  readonly #rng: Rng
  /** Words, each with its own. */
  readonly #names = new Map<string, string>()
  /** Addresses of four numbers. */
  readonly #addresses = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** Finds the words that have a pseudonym; undefined: they have changed. */
  #pattern: RegExp | undefined

  constructor(rng: Rng) {
    this.#rng = rng
  }

  /** Notes the names that a Sentinel knows at this moment. */
  learn(state: State): void {
    for (const name of namesIn(state)) this.#learn(name)
  }

  /** The same value with pseudonyms in all its texts; what properties are called stays. */
  renameAll(value: unknown): unknown {
    if (typeof value === 'string') return this.rename(value)
    if (Array.isArray(value)) return value.map((one) => this.renameAll(one))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, one]) => [key, this.renameAll(one)])
    return Object.fromEntries(entries)
  }

  /** A text, which may be a byte string, with pseudonyms in it. */
  rename(text: string): string {
    const named = this.#names.size === 0 ? text : this.#replaceNames(text)
    return named
      .replace(IPV4, (address) => this.#address(address))
      .replace(PATH, (path) => path.replace(/[a-z0-9]/gi, 'x'))
  }

  #replaceNames(text: string): string {
    this.#pattern ??= wordsPattern([...this.#names.keys()])
    return text.replace(this.#pattern, (name) => this.#names.get(name) ?? name)
  }

  #learn(name: string): void {
    const isKept = name.length < SHORTEST_NAME || WORDS.has(name) || PEER_NAME.test(name)
    if (isKept || this.#names.has(name) || canonicalIp(name)?.includes(':') === false) return
    const isAddress = canonicalIp(name) !== undefined
    if (isAddress && /^[:0]*1?$/.test(name)) return
    this.#names.set(name, this.#new(name, isAddress ? hexFor : letterFor))
    this.#pattern = undefined
  }

  #address(address: string): string {
    if (SPECIAL.test(address) || address.split('.').some((part) => Number(part) > 255))
      return address
    const known = this.#addresses.get(address) ?? this.#new(address, undefined)
    this.#addresses.set(address, known)
    return known
  }

  /** `draw`: undefined for an address of four numbers. */
  #new(original: string, draw: Draw | undefined): string {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn =
        draw === undefined
          ? original
              .split('.')
              .map((part, at) => numberLike(this.#rng, part, at))
              .join('.')
          : original.replace(/[a-z0-9]/gi, (letter) => draw(this.#rng, letter))
      if (drawn === original || this.#taken.has(drawn) || this.#names.has(drawn)) continue
      assert(drawn.length === original.length, 'a pseudonym is as long as the name')
      this.#taken.add(drawn)
      return drawn
    }
    return original
  }
}

type Draw = (rng: Rng, letter: string) => string

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

function letterFor(rng: Rng, letter: string): string {
  if (/\d/.test(letter)) return String(rng.below(10))
  const drawn = rng.pick([...LETTERS])
  return letter === letter.toUpperCase() ? drawn.toUpperCase() : drawn
}

/** Never 0, so that nothing of an address is left out in its short form. */
function hexFor(rng: Rng): string {
  return rng.pick([...'123456789abcdef'])
}

function numberLike(rng: Rng, part: string, at: number): string {
  if (part.length === 1) return String(1 + rng.below(9))
  if (part.length === 2) return String(10 + rng.below(90))
  // The first number of an ordinary address is below 224.
  return String(100 + rng.below(at === 0 ? 24 : 156))
}

function wordsPattern(names: readonly string[]): RegExp {
  const longestFirst = [...names].sort((one, other) => other.length - one.length)
  const escaped = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?<![\\w.-])(?:${escaped.join('|')})(?![\\w-])`, 'g')
}

function namesIn({ groups, clients, config }: State): readonly string[] {
  const nodes = [...groups.values()].flatMap(({ config: own, master, replicas, peers }) => [
    ...[own.name, own.host],
    ...[master, ...replicas.values(), ...peers.values()].map(({ host }) => host),
  ])
  const visitors = [...clients.values()].flatMap(({ name, address }) => {
    return [name, address.slice(0, address.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1')]
  })
  const users = config.users.map(([name = '']) => name)
  // What has other characters cannot be told from the words around it.
  return [...nodes, ...visitors, ...users].filter((name) => /^[\w.:-]+$/.test(name))
}
