/** The nodes of a group: what all Sentinels say of each, put together. */
import type { GroupReport } from './judge.ts'
import { addressOf, flagsOf, type InstanceFields, type MasterStream } from './view.ts'

export interface NodeView {
  readonly address: string
  /** `master`, `replica`, or what it says instead. */
  readonly role: string
  /** How each Sentinel that knows the node sees it: `ok`, `sdown`, … */
  readonly states: readonly string[]
  /** Undefined for a master. */
  readonly link: 'up' | 'down' | undefined
  readonly priority: number | undefined
  /** Bytes of the replication stream: written by the master, acknowledged by a replica. */
  readonly offset: number | undefined
  readonly lagBytes: number | undefined
  /** Seconds between the last acknowledgement and the INFO that tells of it. */
  readonly ackSeconds: number | undefined
  /** How long ago that was so. */
  readonly ageMs: number | undefined
}

/** The master first, the others by their addresses: in the same order each time. */
export function nodesOf(says: GroupReport['says']): readonly NodeView[] {
  const nodes = new Map<string, InstanceFields[]>()
  for (const { group } of says) {
    for (const node of [group.master, ...group.replicas]) {
      nodes.set(addressOf(node), [...(nodes.get(addressOf(node)) ?? []), node])
    }
  }
  const stream = freshest(says)
  const views = [...nodes].map(([address, seen]) => nodeView(address, seen, stream))
  return views.sort(
    (a, b) =>
      Number(b.role === 'master') - Number(a.role === 'master') || (a.address < b.address ? -1 : 1),
  )
}

/** Replicas of replicas, as their own INFO tells, in words; undefined: none is known. */
export function chainedText(says: GroupReport['says']): string | undefined {
  const chained = chainedOf(says)
  if (chained.length === 0) return undefined
  const [verb, them] = chained.length === 1 ? ['follows', 'it'] : ['follow', 'them']
  return `${chained.join(', ')} ${verb} a replica: Sentinels do not watch ${them}, and do not promote ${them}`
}

/** Without those that a Sentinel knows as replicas of the master. */
export function chainedOf(says: GroupReport['says']): readonly string[] {
  const known = new Set(says.flatMap(({ group }) => group.replicas.map(addressOf)))
  const chained = new Set(freshest(says)?.stream.chained)
  return [...chained].filter((address) => !known.has(address)).sort()
}

/** The latest INFO of the master that most of them name. */
function freshest(says: GroupReport['says']): Told | undefined {
  const votes = (address: string) => says.filter(({ group }) => group.address === address).length
  const told = says.flatMap(({ group: { address, stream } }) =>
    stream === undefined ? [] : [{ address, stream }],
  )
  return told.sort(
    (a, b) => votes(b.address) - votes(a.address) || a.stream.ageMs - b.stream.ageMs,
  )[0]
}

interface Told {
  readonly address: string
  readonly stream: MasterStream
}

function nodeView(
  address: string,
  seen: readonly InstanceFields[],
  told: Told | undefined,
): NodeView {
  const [first = {}] = seen
  const isMaster = told?.address === address
  const ack = isMaster ? undefined : told?.stream.replicas.get(address)
  return {
    address,
    role: first['role-reported'] === 'slave' ? 'replica' : (first['role-reported'] ?? '?'),
    states: seen.map(stateOf),
    link: linkOf(seen),
    priority: numberOf(first['slave-priority']),
    offset: isMaster ? told.stream.offset : (ack?.offset ?? numberOf(first['slave-repl-offset'])),
    lagBytes: ack?.lagBytes,
    ackSeconds: ack?.ackSeconds,
    ageMs: isMaster || ack !== undefined ? told?.stream.ageMs : undefined,
  }
}

/** Down if one Sentinel has heard so: the others may go by an INFO that is ten seconds old. */
function linkOf(seen: readonly InstanceFields[]): NodeView['link'] {
  const told = seen.flatMap((one) => one['master-link-status'] ?? [])
  if (told.length === 0) return undefined
  return told.every((link) => link === 'ok') ? 'up' : 'down'
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

/** How one Sentinel sees an instance, in a word. */
export function stateOf(fields: InstanceFields): string {
  const flags = flagsOf(fields)
  if (fields['failover-state'] !== undefined) return 'failover'
  if (flags.includes('o_down')) return 'odown'
  if (flags.includes('s_down')) return 'sdown'
  return flags.includes('disconnected') ? 'apart' : 'ok'
}
