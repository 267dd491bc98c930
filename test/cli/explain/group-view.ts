/** A group as its Sentinels see it, for tests that foretell accidents: three hosts, a node and a Sentinel on each. */
import { type AskedFacts, type GroupLayout, layoutOf } from '../../../src/cli/explain/layout.ts'
import { judge } from '../../../src/cli/status/judge.ts'
import type { InstanceFields, SentinelAnswer } from '../../../src/cli/status/view.ts'
import type { FailoverPlan } from '../../../src/core/failover/failover-plan.ts'

export interface Told {
  /** Hosts of the Sentinels. */
  readonly sentinels?: readonly string[]
  /** Hosts of the replicas, in the order of their run ids. */
  readonly replicas?: readonly string[]
  readonly master?: InstanceFields
  /** By host. */
  readonly replica?: Readonly<Record<string, InstanceFields>>
  readonly plan?: FailoverPlan
  readonly program?: string
  /** What every node says. */
  readonly facts?: Partial<AskedFacts>
  readonly change?: (answer: SentinelAnswer) => SentinelAnswer
}

const OPTIONS: InstanceFields = {
  'down-after-milliseconds': '5000',
  'failover-timeout': '60000',
  'parallel-syncs': '1',
  'config-epoch': '3',
  quorum: '2',
  detection: 'evidence',
  'refused-after': '250',
}

export function layout(told: Told = {}): GroupLayout {
  const { sentinels = ['h1', 'h2', 'h3'], replicas = ['h2', 'h3'], plan, change } = told
  const answers = sentinels.map((_, at) => answer(told, sentinels, replicas, at))
  const changed = change === undefined ? answers : answers.map(change)
  const [report] = judge(changed, 'g').groups
  if (report === undefined) throw new Error('no Sentinel knows the group')
  const plans = new Map(plan === undefined ? [] : changed.map(({ address }) => [address, plan]))
  const nodes = ['h1', ...replicas].map((host) => [`${host}:6379`, factsOf(told)] as const)
  return layoutOf(report, changed, plans, new Map(nodes))
}

function factsOf({ facts }: Told): AskedFacts {
  return {
    failure: undefined,
    program: 'redis 7.0.15',
    bytesPerSecond: 1_000,
    minReplicasToWrite: 0,
    minReplicasMaxLagSeconds: 10,
    unread: '',
    ...facts,
  }
}

function answer(
  told: Told,
  sentinels: readonly string[],
  replicas: readonly string[],
  at: number,
): SentinelAnswer {
  const peers = sentinels.flatMap((host, other) =>
    other === at ? [] : [{ ...place(host, 26379), runid: idOf(other), flags: 'sentinel' }],
  )
  const master = { ...place('h1', 6379), name: 'g', flags: 'master', ...OPTIONS, ...told.master }
  return {
    address: `${sentinels[at]}:26379`,
    failure: undefined,
    myid: idOf(at),
    process: undefined,
    program: told.program ?? 'vedette 0.1.0',
    isTilted: false,
    remarks: [],
    unreached: [],
    groups: [
      {
        name: 'g',
        address: 'h1:6379',
        master,
        replicas: replicas.map((host, order) => ({
          ...place(host, 6379),
          flags: 'slave',
          runid: idOf(order),
          'role-reported': 'slave',
          'master-link-status': 'ok',
          'slave-priority': '100',
          'slave-repl-offset': '1000',
          ...told.replica?.[host],
        })),
        peers,
        quorum: 'OK 3 usable Sentinels',
        stream: {
          ageMs: 400,
          offset: 1_200,
          chained: [],
          replicas: new Map(
            replicas.map((host) => [
              `${host}:6379`,
              { offset: 1_000, lagBytes: 200, ackSeconds: 0 },
            ]),
          ),
        },
      },
    ],
  }
}

function place(ip: string, port: number): InstanceFields {
  return { ip, port: String(port) }
}

export function idOf(at: number): string {
  return String(at + 1).repeat(40)
}

/** A dry run that names these replicas, the first to be promoted first; behind `!` stands why not. */
export function dryRun(...replicas: readonly string[]): FailoverPlan {
  const planned = replicas.map((text, at) => {
    const [host = '', reason = ''] = text.split('!')
    const part = reason !== '' ? 'barred' : at === 0 ? 'promoted' : 'spare'
    const rest = { rule: '', zone: '', priority: 100, offset: 1_000, behind: 0 }
    return { address: `${host}:6379`, part, reason, ...rest } as const
  })
  const to = planned.find(({ part }) => part === 'promoted')?.address ?? ''
  return {
    possible: to !== '',
    refusal: to === '' ? 'NOGOODSLAVE No suitable replica to promote' : '',
    kind: 'coordinated',
    from: 'h1:6379',
    to,
    steps: [],
    replicas: planned,
  }
}
