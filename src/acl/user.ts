/**
 * A user: who may come in, and what he may do. Values are never changed; a rule makes a new one out of
 * the old. So several rules take effect together or not at all, and whoever holds a user holds him as
 * he was.
 */

export interface User {
  readonly isOn: boolean
  /** Any password is right. */
  readonly hasNoPassword: boolean
  /** SHA-256, 64 lower-case hex characters each. */
  readonly passwords: readonly string[]
  /** Only shown again: there is no DUMP payload here that could be checked or not. */
  readonly payloads: 'unsaid' | 'skip-sanitize-payload' | 'sanitize-payload'
  /** What the rules outside of parentheses allow. */
  readonly root: Selector
  /** What each pair of parentheses allows besides. A command must be allowed by one of all, as a whole. */
  readonly selectors: readonly Selector[]
}

export interface Selector {
  readonly keys: 'all' | readonly KeyPattern[]
  /** Glob patterns of channels. */
  readonly channels: 'all' | readonly string[]
  readonly commands: CommandRights
}

export interface KeyPattern {
  readonly pattern: string
  readonly reads: boolean
  readonly writes: boolean
}

export interface CommandRights {
  /** Begun with `+@all`, so that commands of later versions are allowed too. */
  readonly isOpen: boolean
  /** By full name. */
  readonly allowed: ReadonlySet<string>
  /** By name of a command that is not allowed: first arguments it is allowed with all the same. */
  readonly firstArguments: ReadonlyMap<string, readonly string[]>
}

/** [acl-pubsub-default] What a new user may do with channels. */
export type ChannelDefault = 'allchannels' | 'resetchannels'

const NO_COMMANDS: CommandRights = {
  isOpen: false,
  allowed: new Set(),
  firstArguments: new Map(),
}

export function newSelector(channelDefault: ChannelDefault): Selector {
  const channels = channelDefault === 'allchannels' ? 'all' : []
  return { keys: [], channels, commands: NO_COMMANDS }
}

/** A user as ACL SETUSER creates him: switched off, without a password, allowed nothing. */
export function newUser(channelDefault: ChannelDefault): User {
  return {
    isOn: false,
    hasNoPassword: false,
    passwords: [],
    payloads: 'unsaid',
    root: newSelector(channelDefault),
    selectors: [],
  }
}

export function selectorsOf(user: User): readonly Selector[] {
  return [user.root, ...user.selectors]
}

/** Whether connections are this user from the start, without a word. */
export function admitsEverybody(user: User): boolean {
  return user.isOn && user.hasNoPassword
}

/** Names stand in lines of words, so there are no blanks in them; nor NULs, which end them in C. */
export function hasBlanks(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0 || code === 32 || (code >= 9 && code <= 13)) return true
  }
  return false
}
