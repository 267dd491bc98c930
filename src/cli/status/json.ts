/** A status report as one line of JSON. Numbers are numbers, wherever the wire has digits in a string. */
import { GROUP_OPTION_ROWS, isNumeric } from '../../core/group-options.ts'
import { type GroupReport, nothingSeen, type StatusReport } from './judge.ts'
import { chainedOf, nodesOf } from './nodes.ts'
import { strengthOf } from './strength.ts'
import { type InstanceFields, ownOptionsOf } from './view.ts'

/** The fields of SENTINEL MASTER, REPLICAS and SENTINELS that are numbers, options of the group aside. */
const NUMBERS: ReadonlySet<string> = new Set([
  'port',
  'link-pending-commands',
  'link-refcount',
  'last-ping-sent',
  'last-ok-ping-reply',
  'last-ping-reply',
  's-down-time',
  'o-down-time',
  'info-refresh',
  'role-reported-time',
  'config-epoch',
  'num-slaves',
  'num-other-sentinels',
  'master-link-down-time',
  'master-port',
  'slave-priority',
  'slave-repl-offset',
  'replica-announced',
  'last-hello-message',
  'voted-leader-epoch',
  ...GROUP_OPTION_ROWS.filter(([, row]) => isNumeric(row)).map(([, { name }]) => name),
])

/** A fleet without a group is no error unless one was asked for. */
export function statusJson(report: StatusReport): string {
  const { health, sentinels, groups } = report
  const error = health === 'danger' ? nothingSeen(report) : undefined
  return JSON.stringify({
    health,
    error,
    sentinels: sentinels.map(({ address, myid, program, isTilted, failure }) => ({
      address,
      id: myid,
      program,
      tilt: isTilted,
      failure: failure ?? null,
    })),
    groups: groups.map((group) => groupJson(group, strengthOf(sentinels, group.says))),
  })
}

function groupJson({ name, findings, says }: GroupReport, strength: ReturnType<typeof strengthOf>) {
  const { quorum, needed, known, answering, isOutOfReach } = strength
  return {
    name,
    findings,
    sentinels: { quorum, needed, known, answering, reachable: !isOutOfReach },
    nodes: nodesOf(says).map(({ states, ...node }) => ({
      ...Object.fromEntries(Object.entries(node).map(([key, value]) => [key, value ?? null])),
      states,
    })),
    chained: chainedOf(says),
    views: says.map(({ sentinel, group: { stream: _, ...group } }) => ({
      sentinel: sentinel.address,
      ...ownOptionsOf(group.master),
      ...group,
      master: typed(group.master),
      replicas: group.replicas.map(typed),
      peers: group.peers.map(typed),
    })),
  }
}

/** Numbers beyond 2^53 stay text: as numbers they would be others. */
function typed(fields: InstanceFields): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isNumber = NUMBERS.has(name) && /^-?\d{1,19}$/.test(value)
      return [name, isNumber && Number.isSafeInteger(Number(value)) ? Number(value) : value]
    }),
  )
}
