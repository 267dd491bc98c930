/**
 * The members of a group and their addresses: what its Sentinels say, the plan of each (a dry run of a failover, answered by
 * the code that decides), and what its nodes say of themselves, put together. What could happen to it is
 * foretold from this alone (forecast.ts).
 */
import type { FailoverPlan } from '../../core/failover/failover-plan.ts'
import { GROUP_OPTIONS } from '../../core/group-options.ts'
import { NO_VOTE } from '../../core/report/remarks.ts'
import { splitAddress } from '../status/access.ts'
import type { GroupReport } from '../status/judge.ts'
import { chainedText, nodesOf } from '../status/nodes.ts'
import { withoutClones } from '../status/strength.ts'
import {
  addressOf,
  flagsOf,
  type GroupView,
  type InstanceFields,
  isVedette,
  optionOf,
  type SentinelAnswer,
} from '../status/view.ts'

/** A process at an address, as its Sentinels name it. */
export interface LayoutMember {
  /** `host:port`. */
  readonly address: string
  readonly host: string
}

export interface LayoutSentinel extends LayoutMember {
  /** Its run id; may be empty if no other Sentinel has met it. */
  readonly id: string
  /** Undefined: we could not ask it, and know it from its peers. */
  readonly says: SentinelSays | undefined
  /** Why we could not ask it; empty if we could. */
  readonly failure: string
  /** No Sentinel that answers us reaches it. */
  readonly isDown: boolean
}

export interface SentinelSays {
  /** As `programIn` names it: `vedette 0.1.0`. */
  readonly program: string
  readonly isVedette: boolean
  readonly isTilted: boolean
  /**
   * It can neither vote nor lead: no epoch is left, its epochs are frozen, its state cannot be saved, or it watches
   * another master.
   */
  readonly abstains: boolean
  /** It takes another server for the master, and so has no opinion about this one. */
  readonly isElsewhere: boolean
  /** Addresses of what it sees down. */
  readonly seesDown: ReadonlySet<string>
  readonly quorum: number
  /** How many Sentinels it counts, itself included. */
  readonly known: number
  /** How many groups it watches. */
  readonly groups: number
  readonly downAfterMs: number
  /** 0: it does not believe refused connections. */
  readonly refusedAfterMs: number
  readonly hasHook: boolean
  /** What a failover would do; undefined if it cannot tell: a redis-sentinel, or no right to ask. */
  readonly plan: FailoverPlan | undefined
  /** Why a Vedette Sentinel did not tell its plan; empty if it did. */
  readonly refusal: string
  readonly remarks: readonly string[]
}

export interface LayoutNode extends LayoutMember {
  readonly runId: string
  readonly isMaster: boolean
  /** Every Sentinel that knows it sees it down. */
  readonly isDown: boolean
  readonly isLinked: boolean
  readonly linkDownMs: number
  readonly priority: number
  readonly offset: number
  /** Bytes of the stream that it had not acknowledged; undefined: the master does not say. */
  readonly lagBytes: number | undefined
}

/** What a node says of itself, asked by us. */
export interface AskedFacts {
  /** Why it could not be asked; undefined if it was. */
  readonly failure: string | undefined
  readonly program: string
  /** Bytes of the stream that it wrote in a second; undefined: it did not say. */
  readonly bytesPerSecond: number | undefined
  readonly minReplicasToWrite: number | undefined
  readonly minReplicasMaxLagSeconds: number | undefined
  /** Why it does not tell `min-replicas-to-write`; empty if it does, or did not answer at all. */
  readonly unread: string
}

export interface GroupLayout {
  readonly group: string
  readonly master: LayoutNode
  readonly replicas: readonly LayoutNode[]
  readonly sentinels: readonly LayoutSentinel[]
  /** How long ago the master told how far its replicas are; undefined: it has not. */
  readonly toldAgoMs: number | undefined
  readonly failoverTimeoutMs: number
  /** Undefined: failovers are not paused. */
  readonly pause: string | undefined
  /** A failover is under way now. */
  readonly isBusy: boolean
  readonly facts: ReadonlyMap<string, AskedFacts>
  /** Sentinels name different masters: what is said here may be wrong. */
  readonly isDisputed: boolean
  /** In words, the replicas of replicas, which no Sentinel watches; undefined: none is known. */
  readonly chained: string | undefined
  /** [replication: strict] */
  readonly isStrict: boolean
  /** Undefined: replication is asynchronous, or no Sentinel tells of its voters. */
  readonly votes: Votes | undefined
}

/** [replication: strict] As the Sentinels know it from the last INFO of the nodes. */
export interface Votes {
  /** Voters that could be fenced, or acknowledge, now. */
  readonly voters: readonly LayoutMember[]
  /** How many must have a write, the master included. */
  readonly writeQuorum: number
  readonly fencesNeeded: number
  /** The nodes have other voters than the Sentinels, or another write quorum, and refuse every fence. */
  readonly isRefused: boolean
}

/** `plans`: by the address at which the Sentinel was asked. */
export function layoutOf(
  report: GroupReport,
  sentinels: readonly SentinelAnswer[],
  plans: ReadonlyMap<string, FailoverPlan | Error>,
  facts: ReadonlyMap<string, AskedFacts>,
): GroupLayout {
  const { name, says } = report
  const address = mostNamed(says.map(({ group }) => group.address))
  const agreeing = says.filter(({ group }) => group.address === address)
  const [first] = agreeing
  const master = first?.group.master ?? {}
  const nodes = nodesIn(agreeing)
  const paused = says.find(({ group }) => group.master['pause-left-ms'] !== undefined)
  const told = nodesOf(agreeing).find(({ ageMs }) => ageMs !== undefined)?.ageMs
  return {
    group: name,
    master: nodes.find(({ isMaster }) => isMaster) ?? nodeMember(address, [master], undefined),
    replicas: nodes.filter(({ isMaster }) => !isMaster).sort(byAddress),
    sentinels: sentinelsIn(says, sentinels, plans).map((one) => placed(one, says, agreeing)),
    toldAgoMs: told,
    failoverTimeoutMs: Number(optionOf(master, GROUP_OPTIONS.failoverTimeoutMs)),
    pause: paused && `paused by ${paused.group.master['pause-by']}`,
    isBusy: says.some(({ group }) => group.master['failover-state'] !== undefined),
    facts,
    isDisputed: new Set(says.map(({ group }) => group.address)).size > 1,
    chained: chainedText(agreeing),
    isStrict: optionOf(master, GROUP_OPTIONS.replication) === 'strict',
    votes: votesIn(master),
  }
}

/** Any `w` voters and any `p` of `n` have one in common: `p` is `n - w + 1`. */
function votesIn(master: InstanceFields): Votes | undefined {
  const words = (master['voters-now'] ?? '').split(' ').filter((word) => word !== '')
  const fencesNeeded = Number(master['votes-needed-for-failover'])
  if (words.length === 0 || !(fencesNeeded > 0)) return undefined
  const present = words.filter((word) => /=(master|voter|other)$/.test(word))
  return {
    voters: present.map((word) => memberAt(word.slice(0, word.lastIndexOf('=')))),
    ...{ writeQuorum: words.length - fencesNeeded + 1, fencesNeeded },
    isRefused: words.some((word) => word.endsWith('=other')),
  }
}

type Says = GroupReport['says']

function mostNamed(addresses: readonly string[]): string {
  const votes = (address: string) => addresses.filter((other) => other === address).length
  return [...addresses].sort((a, b) => votes(b) - votes(a))[0] ?? '?'
}

function nodesIn(says: Says): readonly LayoutNode[] {
  const seen = new Map<string, InstanceFields[]>()
  for (const { group } of says) {
    for (const one of [group.master, ...group.replicas]) {
      seen.set(addressOf(one), [...(seen.get(addressOf(one)) ?? []), one])
    }
  }
  const views = new Map(nodesOf(says).map((view) => [view.address, view]))
  return [...seen].map(([address, fields]) =>
    nodeMember(address, fields, views.get(address)?.lagBytes),
  )
}

function nodeMember(
  address: string,
  seen: readonly InstanceFields[],
  lagBytes: number | undefined,
): LayoutNode {
  const [first = {}] = seen
  return {
    ...memberAt(address),
    runId: first.runid ?? '',
    isMaster: flagsOf(first).includes('master'),
    isDown: seen.every((fields) => flagsOf(fields).includes('s_down')),
    isLinked: first['master-link-status'] === 'ok',
    linkDownMs: Number(first['master-link-down-time'] ?? 0),
    priority: Number(first['slave-priority'] ?? 100),
    offset: Math.max(0, ...seen.map((fields) => Number(fields['slave-repl-offset'] ?? 0))),
    lagBytes,
  }
}

/** In the same order each time. */
function byAddress(a: LayoutMember, b: LayoutMember): number {
  return a.address < b.address ? -1 : 1
}

export function memberAt(address: string): LayoutMember {
  return { address, host: splitAddress(address).host }
}

/** The Sentinels that answered, at the address by which their peers know them, and those that only peers know. */
function sentinelsIn(
  says: Says,
  all: readonly SentinelAnswer[],
  plans: ReadonlyMap<string, FailoverPlan | Error>,
): readonly LayoutSentinel[] {
  const peers = says.flatMap(({ group }) => group.peers)
  const heard = withoutClones(says).map(({ sentinel, group }) => {
    const known = peers.find(({ runid }) => runid === sentinel.myid)
    return {
      ...memberAt(known === undefined ? sentinel.address : addressOf(known)),
      id: sentinel.myid,
      says: saysOf(sentinel, group, plans.get(sentinel.address)),
      failure: '',
      isDown: false,
    }
  })
  const ids = new Set(heard.map(({ id }) => id))
  const unheard = peers.filter(({ runid = '' }) => !ids.has(runid))
  const addresses = [...new Set(unheard.map(addressOf))]
  const silent = addresses.map((address) => {
    const seen = unheard.filter((peer) => addressOf(peer) === address)
    const failure = all.find((one) => one.address === address)?.failure ?? 'it was not asked'
    const isDown = seen.every((peer) => flagsOf(peer).includes('s_down'))
    return { ...memberAt(address), id: seen[0]?.runid ?? '', says: undefined, failure, isDown }
  })
  return [...heard, ...silent].sort(byAddress)
}

/** One server may have a name and an address; its run id tells. */
function placed(one: LayoutSentinel, says: Says, agreeing: Says): LayoutSentinel {
  const own = says.find(({ sentinel }) => sentinel.myid === one.id)
  if (one.says === undefined || own === undefined || agreeing.includes(own)) return one
  const { runid = '' } = own.group.master
  if (agreeing.some(({ group }) => group.master.runid === runid)) return one
  return { ...one, says: { ...one.says, abstains: true, isElsewhere: true } }
}

function saysOf(
  sentinel: SentinelAnswer,
  group: GroupView,
  plan: FailoverPlan | Error | undefined,
): SentinelSays {
  const { master, replicas, peers } = group
  const down = [master, ...replicas, ...peers].filter((one) => flagsOf(one).includes('s_down'))
  const believesRefusals = optionOf(master, GROUP_OPTIONS.detection) === 'evidence'
  const refusedAfterMs = Number(optionOf(master, GROUP_OPTIONS.refusedAfterMs))
  return {
    program: sentinel.program,
    isVedette: isVedette(sentinel),
    isTilted: sentinel.isTilted,
    abstains: sentinel.remarks.some(({ text }) => text.includes(NO_VOTE)),
    isElsewhere: false,
    seesDown: new Set(down.map(addressOf)),
    quorum: Number(master.quorum),
    known: peers.length + 1,
    groups: sentinel.groups.length,
    downAfterMs: Number(optionOf(master, GROUP_OPTIONS.downAfterMs)),
    refusedAfterMs: believesRefusals ? refusedAfterMs : 0,
    hasHook: master[GROUP_OPTIONS.preFailoverHook.name] !== undefined,
    plan: plan instanceof Error ? undefined : plan,
    refusal: plan instanceof Error ? plan.message : '',
    remarks: sentinel.remarks
      .filter((one) => one.group === group.name)
      .map(({ text, instance }) =>
        ['Sentinel', `${sentinel.address}:`, instance, text]
          .filter((word) => word !== '')
          .join(' '),
      ),
  }
}
