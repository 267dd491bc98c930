/**
 * No password enters a record. Each is replaced by a name of its own (`hidden-1`) wherever it
 * appears: in configurations, in the requests of clients, in users' lines, where its SHA-256 becomes
 * that of the name. Equal passwords have equal names, so a machine that is played from the record
 * accepts and refuses the same logins. Nothing that is computed from a password is written, so
 * there is nothing that could be guessed.
 *
 * Names of renamed commands are treated in the same way: a name that only some know is a password.
 */
import { sha256 } from '../base/sha256.ts'
import type { Event } from '../core/event.ts'
import { GLOBAL_SETTING_ROWS } from '../core/global-settings.ts'
import { GROUP_OPTION_ROWS, GROUP_OPTIONS } from '../core/group-options.ts'
import type { State } from '../core/state.ts'
import type { EntryEvent } from './entry.ts'

/** What stands for a secret in a record. */
export interface Hiding {
  text(secret: string): string
  /** `hash`: the SHA-256 of a secret, in hex. */
  hash(hash: string): string
}

/** While a record is played: what it contains is hidden already. */
export const HIDDEN_ALREADY: Hiding = { text: (secret) => secret, hash: (hash) => hash }

/** Each guessed password makes a new name: beyond this many, the names begin anew. */
const MAX_NAMES = 10_000
/** How many secrets are recognised where another process repeats them. */
const RECENT = 100

/** The names that one process gives to the secrets it meets, the same in many segments. */
export class SecretNames implements Hiding {
  /** By the SHA-256 of the secret. */
  readonly #names = new Map<string, string>()
  /** The secrets that were met last. One may be repeated after it has been changed. */
  readonly #recent = new Map<string, string>()

  get areTooMany(): boolean {
    return this.#names.size > MAX_NAMES
  }

  /** Only where a segment begins: what was recorded before has the old names. */
  beginAnew(): void {
    this.#names.clear()
    this.#recent.clear()
  }

  text(secret: string): string {
    if (secret === '') return ''
    const name = this.#recent.get(secret) ?? this.#nameOf(sha256(secret))
    this.#recent.delete(secret)
    this.#recent.set(secret, name)
    const [oldest] = this.#recent.keys()
    if (this.#recent.size > RECENT && oldest !== undefined) this.#recent.delete(oldest)
    return name
  }

  hash(hash: string): string {
    return sha256(this.#nameOf(hash.toLowerCase()))
  }

  /** What another process may repeat: the secrets of this state, and those met last. */
  echoes(state: State): Echoes {
    const shown = secretsOf(state).map((secret) => [secret, this.text(secret)] as const)
    return new Map([...this.#recent, ...shown])
  }

  #nameOf(hash: string): string {
    const known = this.#names.get(hash)
    if (known !== undefined) return known
    const name = `hidden-${this.#names.size + 1}`
    this.#names.set(hash, name)
    return name
  }
}

/** The secrets that the machine itself has to show to other processes. */
function secretsOf({ config, groups }: State): readonly string[] {
  const ofGroups = [...groups.values()].flatMap(({ config: group }) => [
    ...[group.authPass, ...group.authPassAlso],
    ...group.renamedCommands.map(([, name]) => name),
  ])
  const all = [config.requirepass, config.sentinelPass, ...ofGroups]
  return [...new Set(all)].filter((secret) => secret !== '')
}

/** By secret: its name in the record. */
export type Echoes = ReadonlyMap<string, string>

/** An error text repeats what was sent, an event what was set. */
export function withoutEchoes(text: string, echoes: Echoes): string {
  if (echoes.size === 0) return text
  let shown = text
  for (const [secret, name] of echoes) shown = shown.replaceAll(secret, name)
  return shown
}

/** Remembers what it hides. */
export class HidingAloud implements Hiding {
  readonly #hiding: Hiding
  readonly hidden = new Map<string, string>()

  constructor(hiding: Hiding) {
    this.#hiding = hiding
  }

  text(secret: string): string {
    const name = this.#hiding.text(secret)
    if (secret.length >= LEAST_ECHO) this.hidden.set(secret, name)
    return name
  }

  hash(hash: string): string {
    return this.#hiding.hash(hash)
  }
}

/** A shorter word may stand in a text by chance. */
const LEAST_ECHO = 4

type Hide = (hiding: Hiding, value: unknown) => unknown

/** The properties of configurations and of the machine's state that hold secrets. */
const SECRET_PROPERTIES: ReadonlyMap<string, Hide> = new Map<string, Hide>([
  ...[...GROUP_OPTION_ROWS, ...GLOBAL_SETTING_ROWS]
    .filter(([, row]) => 'isSecret' in row && row.isSecret)
    .map(([key]): [string, Hide] => [key, hideTexts]),
  ...['requirepass', 'password', 'passwordTaken'].map((key): [string, Hide] => [key, hideTexts]),
  ...['renamedCommands', 'ownRenamedCommands'].map((key): [string, Hide] => [key, hideRenames]),
  ['users', hideUsers],
])

/** For JSON.stringify and for images: the value of a property, without its secrets. */
export function hideProperty(hiding: Hiding, key: string, value: unknown): unknown {
  const hide = SECRET_PROPERTIES.get(key)
  return hide === undefined ? value : hide(hiding, value)
}

function hideTexts(hiding: Hiding, value: unknown): unknown {
  if (typeof value === 'string') return hiding.text(value)
  return Array.isArray(value) ? value.map((one) => hideTexts(hiding, one)) : value
}

function hideRenames(hiding: Hiding, value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map(([name, here]: [string, string]) => [name, hideName(hiding, here)])
}

/** A command may be called in any mixture of capitals. */
export function hideName(hiding: Hiding, name: string): string {
  return hiding.text(name.toLowerCase())
}

/** The lines of a configuration, or those of the state file with what the configuration said. */
function hideUsers(hiding: Hiding, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((line: readonly string[]) => hideUserLine(hiding, line))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([part, lines]) => [part, hideUsers(hiding, lines)])
  return Object.fromEntries(parts)
}

/** The name first. */
export function hideUserLine(hiding: Hiding, [name = '', ...rules]: readonly string[]): string[] {
  return [name, ...rules.map((rule) => hideRule(hiding, rule))]
}

/** `>password`, `<password`, `#hash`, `!hash`; anything else is no secret. */
function hideRule(hiding: Hiding, rule: string): string {
  const [sign = ''] = rule
  const secret = rule.slice(1)
  if (sign === '>' || sign === '<') return sign + hiding.text(secret)
  const isHash = (sign === '#' || sign === '!') && /^[0-9a-f]{64}$/i.test(secret)
  return isHash ? sign + hiding.hash(secret) : rule
}

/** [aclfile] Lines of `user <name> <rules>`. */
export function hideAclFile(hiding: Hiding, text: string): string {
  const hideLine = (line: string) => line.split(' ').map((word) => hideRule(hiding, word))
  return text
    .split('\n')
    .map((line) => hideLine(line).join(' '))
    .join('\n')
}

/**
 * The words of a client's request. `name` is the command's own name. What looks like a password of
 * some other server, in a command that does not exist here, is hidden as well.
 */
export function hideRequest(hiding: Hiding, name: string, argv: readonly string[]): string[] {
  const words = [...argv]
  const hideAfter = (from: number) => {
    for (let at = from; at < words.length; at++) words[at] = hiding.text(words[at] ?? '')
  }
  const at = (index: number) => argv[index]?.toLowerCase()
  if (name === 'auth') hideAfter(argv.length > 2 ? 2 : 1)
  else if (name === 'hello') {
    for (let place = 3; place < argv.length; place++)
      if (at(place - 2) === 'auth') words[place] = hiding.text(argv[place] ?? '')
  } else if (name === 'acl' && at(1) === 'setuser')
    words.splice(2, words.length, ...hideUserLine(hiding, argv.slice(2)))
  else if (name === 'sentinel') hideSettings(hiding, words)
  else {
    const telling = argv.findIndex((word) => /pass|auth|secret/i.test(word))
    if (telling >= 0) hideAfter(telling + 1)
  }
  return words
}

/** SENTINEL SET and SENTINEL CONFIG SET: the value behind the name of a secret option. */
function hideSettings(hiding: Hiding, words: string[]): void {
  for (let at = 2; at + 1 < words.length; at++) {
    const option = words[at]?.toLowerCase() ?? ''
    const behind = option === GROUP_OPTIONS.renamedCommands.name ? at + 2 : at + 1
    if (!SECRET_OPTIONS.has(option) || behind >= words.length) continue
    const value = words[behind] ?? ''
    words[behind] = behind === at + 2 ? hideName(hiding, value) : hiding.text(value)
    at = behind
  }
}

const SECRET_OPTIONS: ReadonlySet<string> = new Set([
  GROUP_OPTIONS.renamedCommands.name,
  ...[...GROUP_OPTION_ROWS, ...GLOBAL_SETTING_ROWS]
    .filter(([, row]) => 'isSecret' in row && row.isSecret)
    .map(([, row]) => row.name.toLowerCase()),
])

// The events that may tell a secret and are no requests of clients, without it.

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>

/** SIGHUP: both configurations. */
export function hideConfigs(hiding: Hiding, event: EventOf<'reloaded'>): EventOf<'reloaded'> {
  return JSON.parse(JSON.stringify(event, (key, value) => hideProperty(hiding, key, value)))
}

/** A record does not hold itself: of its pieces it keeps the lengths. */
export function hideAnswer(hiding: Hiding, event: EventOf<'inquired'>): EntryEvent {
  const { answer, inquiry } = event
  if (answer.kind === 'readRecord')
    return { kind: 'recordTold', inquiry, bytes: answer.bytes.length }
  if (answer.kind !== 'readAclFile') return event
  return { ...event, answer: { ...answer, text: hideAclFile(hiding, answer.text) } }
}

/** `ERR unknown command 'AUTH', with args beginning with: …` */
export function hideEcho(echoes: Echoes, event: EventOf<'reply'>): EventOf<'reply'> {
  const { reply } = event
  if (reply.kind !== 'error') return event
  const text = withoutEchoes(reply.text, echoes)
  return text === reply.text ? event : { ...event, reply: { kind: 'error', text } }
}
