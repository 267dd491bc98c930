import type { Address } from '../../../src/base/ip.ts'
import type { Action } from '../../../src/history/action.ts'
import { createCheckers } from '../../../src/history/checkers/checkers.ts'
import type {
  EventName,
  NodePosition,
  NodeRole,
  Occurrence,
} from '../../../src/history/happening.ts'
import { Recorder } from '../../../src/history/recorder.ts'
import type { GroupSpec, Topology } from '../../../src/history/topology.ts'
import { createTopology } from '../../sim/topology.ts'

/** Run ids of s1, s2 and s3. */
export const ID = { s1: '1'.repeat(40), s2: '2'.repeat(40), s3: '3'.repeat(40) } as const
export const GROUP = 'mymaster'

export type SentinelName = keyof typeof ID

/** Addresses of this stage are the names of nodes; `n1@2` is where n1 has moved. */
export function at(node: string): Address {
  return { host: node, port: 6379 }
}

/** Three nodes and three Sentinels that came up at 0 with n1 as master; time goes by script. */
export class Stage {
  #nowMs = 0
  readonly #recorder: Recorder

  /** `group`: other rules of the group; `arePlacesKnown`: checkers may ask where a process is. */
  constructor(
    group: Partial<GroupSpec> = {},
    arePlacesKnown = false,
    liars: Topology['liars'] = [],
  ) {
    const usual = createTopology()
    const groups = usual.groups.map((one) => ({ ...one, ...group }))
    const topology = { ...usual, groups, liars }
    const start = {
      ...{ topology, nameOf: ({ host }: Address) => host.replace(/@.*/, '') },
      ...(arePlacesKnown ? { addressOf: at } : {}),
    }
    this.#recorder = new Recorder(() => this.#nowMs, createCheckers(start))
    for (const name of ['n1', 'n2', 'n3', 's1', 's2', 's3', 'app']) {
      this.tell(name, { kind: 'status', status: 'running' })
    }
    this.role('n1', { kind: 'master' })
    this.linked('n2', true)
    this.linked('n3', true)
  }

  /** Goes on to this time since the start. */
  until(nowMs: number): this {
    this.#nowMs = nowMs
    this.#recorder.timePassed()
    return this
  }

  tell(process: string | undefined, occurrence: Occurrence): this {
    this.#recorder.record(process, occurrence)
    return this
  }

  does(action: Action): this {
    return this.tell(undefined, { kind: 'fault', text: '', action })
  }

  status(process: string, status: 'running' | 'paused' | 'down'): this {
    return this.tell(process, { kind: 'status', status })
  }

  role(node: string, role: NodeRole): this {
    return this.tell(node, { kind: 'role', role })
  }

  linked(node: string, isLinkUp: boolean): this {
    return this.role(node, { kind: 'replica', master: at('n1'), isLinkUp })
  }

  event(sentinel: SentinelName, name: EventName, payload = `master ${GROUP} n1 6379`): this {
    return this.tell(sentinel, { kind: 'event', name, payload })
  }

  /** The Sentinel holds n1 down, of which it has heard nothing good for so long. */
  holdsDown(sentinel: SentinelName, silentMs: number): this {
    const payload = `master ${GROUP} n1 6379`
    return this.tell(sentinel, { kind: 'event', name: '+sdown', payload, silentMs })
  }

  stands(sentinel: SentinelName, epoch: number, forced = false): this {
    const electorate = { known: 3, quorum: 2 }
    return this.tell(sentinel, {
      ...{ kind: 'candidacy', sentinelId: ID[sentinel], group: GROUP, epoch, forced },
      ...{ master: at('n1'), electorate },
    })
  }

  votes(sentinel: SentinelName, epoch: number, leader: SentinelName): this {
    const vote = { sentinelId: ID[sentinel], group: GROUP, epoch, leader: ID[leader] }
    return this.tell(sentinel, { kind: 'vote', ...vote })
  }

  leads(sentinel: SentinelName, epoch: number, electorate = { known: 3, quorum: 2 }): this {
    const leader = { sentinelId: ID[sentinel], group: GROUP, epoch, electorate }
    return this.tell(sentinel, { kind: 'leader', ...leader })
  }

  hello(sentinel: SentinelName, configEpoch: number, master: string, currentEpoch = configEpoch) {
    const hello = { sentinelId: ID[sentinel], group: GROUP, configEpoch, currentEpoch }
    return this.tell(sentinel, { kind: 'hello', ...hello, master: at(master) })
  }

  chooses(sentinel: SentinelName, chosen: string, ...standings: readonly NodePosition[]): this {
    const known = standings.map(({ address }) => address)
    const selection = { group: GROUP, chosen: at(chosen), known, standings }
    return this.tell(sentinel, { kind: 'selection', ...selection })
  }

  /** Tells a node to follow another one, or to be the master itself. */
  orders(sentinel: SentinelName, node: string, master: string | undefined, configEpoch = 0): this {
    const to = master === undefined ? undefined : at(master)
    return this.tell(sentinel, {
      kind: 'order',
      group: GROUP,
      node: at(node),
      master: to,
      configEpoch,
    })
  }

  /** Names the master to clients. */
  names(sentinel: SentinelName, master: string): this {
    return this.tell(sentinel, { kind: 'view', group: GROUP, master: at(master) })
  }

  /** An event about a replica, or about a Sentinel. */
  about(sentinel: SentinelName, name: EventName, node: string): this {
    return this.event(sentinel, name, `slave ${node}:6379 ${node} 6379 @ ${GROUP} n1 6379`)
  }

  aboutPeer(sentinel: SentinelName, name: EventName, peer: SentinelName): this {
    return this.event(sentinel, name, `sentinel ${ID[peer]} ${peer} 26379 @ ${GROUP} n1 6379`)
  }

  get violations(): string[] {
    return this.#recorder.violations.map((one) => (one.kind === 'violation' ? one.checker : ''))
  }
}

export function standing(node: string, facts: Partial<NodePosition> = {}): NodePosition {
  const usual = {
    isReplica: true,
    isLinkUp: false,
    priority: 100,
    offset: 1_000,
    replid: 'r',
    runId: node,
  }
  return { node, address: at(node), ...usual, ...facts }
}
