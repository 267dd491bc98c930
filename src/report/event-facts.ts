/**
 * What an event of a Sentinel says, read out of its payload. Payloads are words between spaces, the
 * same from Vedette and from Redis; what does not look like one is kept as a text without facts.
 */
import type { Naming } from './names.ts'

export interface EventFacts {
  readonly name: string
  /** The whole event with names in it. */
  readonly text: string
  /** Whom it is about. */
  readonly subject: Subject | undefined
  readonly group: string | undefined
  /** Of `+odown`: how many agree, and how many have to. */
  readonly quorum: { readonly agreeing: number; readonly needed: number } | undefined
  /** Of `+vote-for-leader`. */
  readonly vote: { readonly leader: string; readonly epoch: number } | undefined
  /** Of `+switch-master`. */
  readonly switched: { readonly from: string; readonly to: string } | undefined
  /** Of `+new-epoch`. */
  readonly epoch: number | undefined
}

export interface Subject {
  readonly kind: 'master' | 'replica' | 'sentinel'
  readonly name: string
}

export function readEvent(name: string, payload: string, naming: Naming): EventFacts {
  const words = payload.split(' ')
  const text = `${name} ${naming.text(payload)}`.trimEnd()
  const switched = name === '+switch-master' ? readSwitch(words, naming) : undefined
  return {
    name,
    text,
    subject: readSubject(words, naming),
    group: switched === undefined ? readGroup(words) : words[0],
    quorum: readQuorum(payload),
    vote: name === '+vote-for-leader' ? readVote(words, naming) : undefined,
    switched,
    epoch: name === '+new-epoch' ? readNumber(words[0]) : undefined,
  }
}

/** `<type> <name> <host> <port>`, and for all but masters ` @ <group> <host> <port>`. */
function readSubject(words: readonly string[], naming: Naming): Subject | undefined {
  const [type, name, host, port] = words
  if (name === undefined || host === undefined || port === undefined) return undefined
  if (type === 'master') return { kind: 'master', name: naming.at(host, port) }
  if (type === 'slave') return { kind: 'replica', name: naming.at(host, port) }
  return type === 'sentinel' ? { kind: 'sentinel', name: naming.sentinel(name) } : undefined
}

function readGroup(words: readonly string[]): string | undefined {
  if (words[0] === 'master') return words[1]
  const at = words.indexOf('@')
  return at === -1 ? undefined : words[at + 1]
}

function readQuorum(payload: string): EventFacts['quorum'] {
  const match = /#quorum (\d+)\/(\d+)/.exec(payload)
  return match === null ? undefined : { agreeing: Number(match[1]), needed: Number(match[2]) }
}

function readVote(words: readonly string[], naming: Naming): EventFacts['vote'] {
  const [leader, epochText] = words
  const epoch = readNumber(epochText)
  if (leader === undefined || epoch === undefined) return undefined
  return { leader: naming.sentinel(leader), epoch }
}

/** `<group> <old host> <old port> <new host> <new port>`. */
function readSwitch(words: readonly string[], naming: Naming): EventFacts['switched'] {
  const [, oldHost, oldPort, newHost, newPort] = words
  if (oldHost === undefined || oldPort === undefined) return undefined
  if (newHost === undefined || newPort === undefined) return undefined
  return { from: naming.at(oldHost, oldPort), to: naming.at(newHost, newPort) }
}

function readNumber(word: string | undefined): number | undefined {
  return word !== undefined && /^\d{1,15}$/.test(word) ? Number(word) : undefined
}
