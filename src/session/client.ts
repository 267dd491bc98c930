/**
 * A client, as far as the Sentinel and the data node treat it alike, and what it says about itself:
 * its name, its library, whether it wants answers. Each program keeps more about a connection, in
 * its own way; this folder decides from these fields alone.
 */
import type { Account } from '../acl/users.ts'
import { bulk, error, NULL, OK, type Protocol, type Reply } from '../resp/reply.ts'
import type { RequestDecoder } from '../resp/request-decoder.ts'
import { type ShowWord, SYNTAX_ERROR } from './errors.ts'

/**
 * [CLIENT REPLY] `skipNext` becomes `skip` after the command that asked for it, `skip` becomes
 * `on`.
 */
export type ReplyMode = 'on' | 'off' | 'skipNext' | 'skip'

export interface SessionClient {
  readonly id: number
  /** The client's end of the connection, as `host:port`; `localAddress` is ours. */
  readonly address: string
  readonly localAddress: string
  /** Monotonic, like `lastInputAtMs`. */
  readonly connectedAtMs: number
  lastInputAtMs: number
  /** The decoder also knows whether the client has logged in, because others may send less. */
  readonly decoder: RequestDecoder
  /** The channels and patterns it is subscribed to, in the order of its requests. */
  readonly channels: Set<string>
  readonly patterns: Set<string>
  /** [CLIENT SETNAME] Empty: none. */
  name: string
  /** [CLIENT SETINFO] The name of its client library, as the client gives it. */
  libraryName: string
  libraryVersion: string
  protocol: Protocol
  /** The user it is logged in as; undefined for a master's stream, which may do everything. */
  account: Account | undefined
  /** Full name of the last command, as CLIENT LIST shows it. */
  lastCommand: string
  replyMode: ReplyMode
  /** [CLIENT NO-EVICT] Shown in its flags; no client is evicted here. */
  noEvict: boolean
}

export const BAD_CLIENT_NAME = error(
  'ERR Client names cannot contain spaces, newlines or special characters.',
)

/**
 * CLIENT LIST separates its fields by blanks, so no name may contain one. The empty name means
 * "none".
 */
export function isClientName(name: string): boolean {
  return /^[!-~]*$/.test(name)
}

/** CLIENT GETNAME */
export function getName({ name }: SessionClient): Reply {
  return name === '' ? NULL : bulk(name)
}

/** CLIENT SETNAME */
export function setName(client: SessionClient, [, , name = '']: readonly string[]): Reply {
  if (!isClientName(name)) return BAD_CLIENT_NAME
  client.name = name
  return OK
}

/** CLIENT SETINFO */
export function setInfo(
  client: SessionClient,
  [, , typed = '', value = '']: readonly string[],
  show: ShowWord,
): Reply {
  const attribute = typed.toLowerCase()
  if (attribute !== 'lib-name' && attribute !== 'lib-ver') {
    return error(`ERR Unrecognized option '${show(typed)}'`)
  }
  if (!isClientName(value)) {
    return error(`ERR ${show(typed)} cannot contain spaces, newlines or special characters.`)
  }
  if (attribute === 'lib-name') client.libraryName = value
  else client.libraryVersion = value
  return OK
}

/** CLIENT REPLY. Only ON gets an answer. */
export function setReplies(
  client: SessionClient,
  [, , mode = '']: readonly string[],
): Reply | undefined {
  switch (mode.toLowerCase()) {
    case 'on':
      client.replyMode = 'on'
      return OK
    case 'off':
      client.replyMode = 'off'
      return undefined
    case 'skip':
      if (client.replyMode !== 'off') client.replyMode = 'skipNext'
      return undefined
    default:
      return SYNTAX_ERROR
  }
}

/** CLIENT NO-EVICT */
export function setNoEvict(client: SessionClient, argv: readonly string[]): Reply {
  const isOn = parseOnOff(argv[2])
  if (isOn === undefined) return SYNTAX_ERROR
  client.noEvict = isOn
  return OK
}

/** Undefined: the word is neither ON nor OFF. */
export function parseOnOff(word: string | undefined): boolean | undefined {
  switch (word?.toLowerCase()) {
    case 'on':
      return true
    case 'off':
      return false
    default:
      return undefined
  }
}
