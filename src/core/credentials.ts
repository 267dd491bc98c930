/** What we show to an instance that wants to know who we are, and where the operator set it. */
import type { GroupConfig, SentinelConfig } from './config.ts'
import type { Instance, State } from './state.ts'

export interface Credentials {
  /** The arguments of AUTH; empty: none is sent. */
  readonly words: readonly string[]
  /** The options they come from, for whoever has to correct them. */
  readonly source: string
}

/** Data nodes get the group's credentials; peers sentinel-user and -pass, or our own password. */
export function credentialsFor(state: State, instance: Instance): Credentials {
  return instance.kind === 'sentinel' ? forPeers(state.config) : forDataNodes(instance.group.config)
}

function forDataNodes({ name, authUser, authPass }: GroupConfig): Credentials {
  const option = authUser === '' ? 'auth-pass' : 'auth-user and auth-pass'
  return { words: wordsOf(authUser, authPass), source: `${option} of group ${name}` }
}

function forPeers({ sentinelUser, sentinelPass, requirepass }: SentinelConfig): Credentials {
  if (sentinelPass === '' && requirepass !== '') {
    return { words: [requirepass], source: 'requirepass' }
  }
  const option = sentinelUser === '' ? 'sentinel-pass' : 'sentinel-user and sentinel-pass'
  return { words: wordsOf(sentinelUser, sentinelPass), source: option }
}

/** A user without a password is not shown at all. */
function wordsOf(user: string, pass: string): readonly string[] {
  if (pass === '') return []
  return user === '' ? [pass] : [user, pass]
}
