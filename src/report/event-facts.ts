/**
 * What an event of a Sentinel says, parsed from its payload. Payloads are words between spaces, the
 * same from Vedette and from Redis; other payloads are kept as a text without facts.
 */
import { eventWords, type HeardEvent } from '../history/happening.ts'
import type { Naming } from './names.ts'

export interface EventFacts {
  readonly name: HeardEvent
  /** The whole event with names in it. */
  readonly text: string
  /** The instance it is about. */
  readonly subject: Subject | undefined
  readonly group: string | undefined
  /** From `+odown`: how many agree, and how many have to. */
  readonly quorum: { readonly agreeing: number; readonly needed: number } | undefined
  /** From `+vote-for-leader`. */
  readonly vote: { readonly leader: string; readonly epoch: number } | undefined
  /** From `+switch-master`. */
  readonly switched: { readonly from: string; readonly to: string } | undefined
  /** From `+sdown-evidence`: why the instance is held down. */
  readonly reason: string | undefined
  /** From `+new-epoch`. */
  readonly epoch: number | undefined
}

export interface Subject {
  readonly kind: 'master' | 'replica' | 'sentinel'
  readonly name: string
}

export function readEvent(name: HeardEvent, payload: string, naming: Naming): EventFacts {
  const words = payload.split(' ')
  const text = `${name} ${naming.text(payload)}`.trimEnd()
  const switched = name === '+switch-master' ? readSwitch(payload, naming) : undefined
  return {
    name,
    text,
    subject: readSubject(words, naming),
    group: switched === undefined ? readGroup(words) : words[0],
    quorum: name === '+odown' ? readQuorum(payload) : undefined,
    vote: name === '+vote-for-leader' ? readVote(payload, naming) : undefined,
    switched,
    reason: name === '+sdown-evidence' ? payload.split(' # ').slice(1).join(' # ') : undefined,
    epoch: name === '+new-epoch' ? readNumber(eventWords('+new-epoch', payload)?.epoch) : undefined,
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
  const words = eventWords('+odown', payload)
  return words && { agreeing: Number(words.agreeing), needed: Number(words.needed) }
}

function readVote(payload: string, naming: Naming): EventFacts['vote'] {
  const words = eventWords('+vote-for-leader', payload)
  const epoch = readNumber(words?.epoch)
  if (words === undefined || epoch === undefined) return undefined
  return { leader: naming.sentinel(words.leader), epoch }
}

function readSwitch(payload: string, naming: Naming): EventFacts['switched'] {
  const words = eventWords('+switch-master', payload)
  if (words === undefined) return undefined
  const { oldHost, oldPort, newHost, newPort } = words
  return { from: naming.at(oldHost, oldPort), to: naming.at(newHost, newPort) }
}

function readNumber(word: string | undefined): number | undefined {
  return word !== undefined && /^\d{1,15}$/.test(word) ? Number(word) : undefined
}
