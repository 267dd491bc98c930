/**
 * A user: who may log in, and what they may do. Values are never changed; a rule makes a new user out
 * of the old one. So several rules take effect together or not at all, and code that holds a user
 * holds a snapshot.
 */

export interface User {
  readonly isOn: boolean
  /** Any password is accepted. */
  readonly hasNoPassword: boolean
  /** SHA-256, 64 lower-case hex characters each. */
  readonly passwords: readonly string[]
  /** Only printed again: this server has no DUMP payloads to check. */
  readonly payloads: 'unsaid' | 'skip-sanitize-payload' | 'sanitize-payload'
  /** What the rules outside of parentheses allow. */
  readonly root: Selector
  /** What each pair of parentheses allows in addition. One selector must allow a command as a whole. */
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
  /** Began with `+@all`, so commands of later versions are allowed too. */
  readonly isOpen: boolean
  /** By full name. */
  readonly allowed: ReadonlySet<string>
  /**
   * By name of a command that is not allowed: the first arguments with which it is allowed after
   * all.
   */
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

/** A user as ACL SETUSER creates it: switched off, without a password, with no rights. */
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

/** Whether new connections are this user without authenticating. */
export function admitsEverybody(user: User): boolean {
  return user.isOn && user.hasNoPassword
}

/** Names are words in lines, so they contain no blanks; nor NULs, which end a string in C. */
export function hasBlanks(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0 || code === 32 || (code >= 9 && code <= 13)) return true
  }
  return false
}
