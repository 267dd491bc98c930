/**
 * May this user do that? One of the user's selectors must allow the command with all its keys and
 * channels.
 */
import { matchesGlob } from '../base/glob.ts'
import { type KeyPattern, type Selector, selectorsOf, type User } from './user.ts'

/** A command as it was sent. */
export interface AclRequest {
  /** Full name in lower case. */
  readonly name: string
  /** Every user may run it: AUTH, HELLO, QUIT, RESET. */
  readonly isForEverybody: boolean
  readonly argv: readonly string[]
  /** Called only where the answer matters. */
  readonly keys: () => readonly KeyUse[]
  readonly channels: () => readonly ChannelUse[]
}

/** `at` is an index of `argv`. A use that neither reads nor writes only checks whether a key exists. */
export interface KeyUse {
  readonly at: number
  readonly reads: boolean
  readonly writes: boolean
}

export interface ChannelUse {
  readonly at: number
  /** PSUBSCRIBE: the pattern itself must be in the user's list, word for word. */
  readonly isPattern: boolean
}

/** Which words of a command name channels: none, the first argument, or all of them, which may be patterns. */
export type ChannelWords = 'first' | 'all' | 'patterns' | undefined

export function channelUses(words: ChannelWords, argv: readonly string[]): readonly ChannelUse[] {
  if (words === undefined) return []
  if (words === 'first') return [{ at: 1, isPattern: false }]
  return argv.slice(1).map((_, index) => ({ at: index + 1, isPattern: words === 'patterns' }))
}

export type Denial =
  | { readonly reason: 'command' }
  /** `at`: the index in `argv` of the word that was denied. */
  | { readonly reason: 'key' | 'channel'; readonly at: number }

const COMMAND_DENIED: Denial = { reason: 'command' }

/** Undefined if the user may. When several selectors refuse, the refusal that got furthest counts. */
export function denial(user: User, request: AclRequest): Denial | undefined {
  let worst: Denial = COMMAND_DENIED
  for (const selector of selectorsOf(user)) {
    const denied = deniedBy(selector, request)
    if (denied === undefined) return undefined
    if (isFurther(denied, worst)) worst = denied
  }
  return worst
}

const DISTANCES = { command: 0, key: 1, channel: 2 } as const

function isFurther(denied: Denial, than: Denial): boolean {
  if (denied.reason !== than.reason) return DISTANCES[denied.reason] > DISTANCES[than.reason]
  return indexOf(denied) > indexOf(than)
}

function indexOf(denied: Denial): number {
  return denied.reason === 'command' ? 0 : denied.at
}

function deniedBy(selector: Selector, request: AclRequest): Denial | undefined {
  if (!request.isForEverybody && !allowsCommand(selector, request)) return COMMAND_DENIED
  const { keys, channels } = selector
  const { argv } = request
  if (keys !== 'all') {
    const use = request.keys().find((one) => !allowsKey(keys, one, argv[one.at] ?? ''))
    if (use !== undefined) return { reason: 'key', at: use.at }
  }
  if (channels !== 'all') {
    const use = request.channels().find((one) => !allowsUse(channels, one, argv[one.at] ?? ''))
    if (use !== undefined) return { reason: 'channel', at: use.at }
  }
  return undefined
}

function allowsCommand({ commands }: Selector, { name, argv }: AclRequest): boolean {
  if (commands.allowed.has(name)) return true
  const word = argv[1]?.toLowerCase()
  const words = commands.firstArguments.get(name) ?? []
  return word !== undefined && words.some((one) => one.toLowerCase() === word)
}

function allowsKey(patterns: readonly KeyPattern[], use: KeyUse, key: string): boolean {
  return patterns.some(
    ({ pattern, reads, writes }) =>
      (reads || !use.reads) && (writes || !use.writes) && matchesGlob(pattern, key),
  )
}

function allowsUse(patterns: readonly string[], { isPattern }: ChannelUse, name: string): boolean {
  return patterns.some((pattern) => (isPattern ? pattern === name : matchesGlob(pattern, name)))
}

/** Whether the user may listen to a channel, or to a pattern of channels. */
export function mayListen(user: User, name: string, isPattern: boolean): boolean {
  const use: ChannelUse = { at: 0, isPattern }
  return selectorsOf(user).some(
    ({ channels }) => channels === 'all' || allowsUse(channels, use, name),
  )
}

/** Whether a selector that allows the request as it stands also lets the user read every key. */
export function mayReadAll(user: User, request: AclRequest): boolean {
  return selectorsOf(user).some(
    (selector) => readsAll(selector) && deniedBy(selector, request) === undefined,
  )
}

function readsAll({ keys }: Selector): boolean {
  return keys === 'all' || keys.some(({ pattern, reads }) => reads && pattern === '*')
}
