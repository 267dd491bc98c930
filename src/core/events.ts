/**
 * Events are how a Sentinel tells the world: the name is the channel, the payload the message, and
 * the same words go to the log. The table of events gives the level and the payload. If the event
 * is a warning, the notification script of its group is told.
 */
import type {
  AnnouncedEvent,
  AnnouncedGroup,
  AnnouncedInstance,
  EventDetails,
} from './announced-event.ts'
import { publish } from './clients/subscriptions.ts'
import { EVENTS, type EventName } from './event-table.ts'
import { type EventWord, eventText } from './event-words.ts'
import type { LogLevel } from './log-level.ts'
import { shownHost } from './names/names.ts'
import { type AddressTold, toldInside, toldTo } from './names/told-address.ts'
import { tallyEvent } from './report/tally.ts'
import { callNotificationScript } from './scripts/script-calls.ts'
import type { DataInstance, Group, Instance, Master, Peer, Replica, State, Turn } from './state.ts'
import { emit } from './turn.ts'

interface Subjects {
  readonly master: Master
  readonly replica: Replica
  readonly sentinel: Peer
  readonly node: DataInstance
  readonly instance: Instance
  readonly group: Group
  readonly none: undefined
}

type SubjectOf<Name extends EventName> = Subjects[(typeof EVENTS)[Name]['about']]

/** The words in the text of the event, if it has any. */
type Words<Name extends EventName> = [EventWord<Name>] extends [never]
  ? []
  : [words: Readonly<Record<EventWord<Name>, string | number>>]

export function announce<Name extends EventName>(
  turn: Turn,
  name: Name,
  about: SubjectOf<Name>,
  ...words: Words<Name>
): void {
  tallyEvent(turn, name, about)
  say(turn, EVENTS[name].level, name, about, words[0])
}

/**
 * The same event for the log alone, at level debug. Subscribers are not told about a peer that may
 * be made up, because there may be thousands of made-up peers.
 */
export function logQuietly<Name extends EventName>(
  turn: Turn,
  name: Name,
  about: SubjectOf<Name>,
  ...words: Words<Name>
): void {
  say(turn, 'debug', name, about, words[0])
}

function say(
  turn: Turn,
  level: LogLevel | 'unlogged',
  name: EventName,
  about: Instance | Group | undefined,
  words: EventDetails = {},
): void {
  const instance = about?.kind === 'group' ? undefined : about
  const payload = payloadOf(name, instance, words, toldInside(turn.state))
  if (level !== 'unlogged') {
    const event = { level, payload, ...asData(turn, name, about, words) }
    emit(turn, { kind: 'log', level, text: joined(name, payload), event })
  }
  const group = about?.kind === 'group' ? about : about?.group
  if (level !== 'debug') {
    publish(turn, name, (client) => {
      if (group === undefined || group.config.clientAddresses.length === 0) return payload
      return payloadOf(name, instance, words, toldTo(turn.state, client, group))
    })
  }
  if (level === 'warning' && group !== undefined) {
    callNotificationScript(turn, group, name, payload)
  }
}

function payloadOf(
  name: EventName,
  instance: Instance | undefined,
  words: EventDetails,
  told: AddressTold,
): string {
  const described = instance === undefined ? '' : describeTo(told, instance)
  return joined(described, eventText(name, toldWords(words, told)))
}

/** The words of a switch, which are two addresses. */
function toldWords(words: EventDetails, told: AddressTold): EventDetails {
  const { oldHost, oldPort, newHost, newPort } = words
  if (newHost === undefined) return words
  const old = told({ host: String(oldHost), port: Number(oldPort) })
  const now = told({ host: String(newHost), port: Number(newPort) })
  const addresses = { oldHost: old.host, oldPort: old.port, newHost: now.host, newPort: now.port }
  return { ...words, ...addresses }
}

function asData(
  { state, now }: Turn,
  name: EventName,
  about: Instance | Group | undefined,
  details: EventDetails,
): Omit<AnnouncedEvent, 'level' | 'payload'> {
  const instance = about?.kind === 'group' ? undefined : about
  const group = about?.kind === 'group' ? about : about?.group
  return {
    ...{ name, details, by: state.myid, atMs: now.wallMs },
    group: group && groupAsData(state, group),
    instance: instance && instanceAsData(state, instance),
    epoch: group?.failover?.epoch ?? state.currentEpoch,
    evidence: evidenceOf(name, details),
  }
}

function groupAsData(state: State, { config, configEpoch, failover }: Group): AnnouncedGroup {
  const master = { host: shownHost(state, config.host), port: config.port }
  return { name: config.name, configEpoch, master, failover: failover?.kind }
}

function instanceAsData(state: State, { kind, host, port, runId }: Instance): AnnouncedInstance {
  return { role: kind, host: shownHost(state, host), port, runId }
}

/** Sentinel puts a `#` before what is meant for people. */
function evidenceOf(name: EventName, details: EventDetails): string {
  return EVENTS[name].text.startsWith('#') ? eventText(name, details).slice(1).trim() : ''
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first} ${second}`
}

/** `<type> <name> <ip> <port>`, and for all but masters ` @ <group> <master-ip> <master-port>`. */
export function describe(state: State, instance: Instance): string {
  return describeTo(toldInside(state), instance)
}

function describeTo(told: AddressTold, instance: Instance): string {
  const { host, port } = told(instance)
  const own = `${wireType(instance)} ${instance.name} ${host} ${port}`
  if (instance.kind === 'master') return own
  const { config } = instance.group
  const master = told(config)
  return `${own} @ ${config.name} ${master.host} ${master.port}`
}

/** The wire keeps Sentinel's words, because clients parse them. */
function wireType(instance: Instance): string {
  return instance.kind === 'replica' ? 'slave' : instance.kind
}
