/**
 * The run as text: one line per happening, in order, with virtual time and process. Two runs are
 * the same run when their traces are the same bytes, so nothing but facts of the run may stand in
 * it.
 */
import { unreachable } from '../base/assert.ts'
import type { Address } from '../base/ip.ts'
import { type Happening, isInTrace, type NodeRole } from './happening.ts'
import type { Operation, Write } from './writes.ts'

export type NameOf = (address: Address) => string

/** Everything that happened, and then the outcome of every write. */
export function renderTrace(
  happenings: readonly Happening[],
  writes: readonly Write[],
  nameOf: NameOf,
): string {
  const lines = happenings.filter(isInTrace).map((one) => renderHappening(one, nameOf))
  return [...lines, ...writes.map(renderWrite), ''].join('\n')
}

function renderHappening(happening: Happening, nameOf: NameOf): string {
  const time = renderTime(happening.atMs)
  return `${time}  ${(happening.process ?? '*').padEnd(8)} ${describe(happening, nameOf)}`
}

/** Seconds with three digits, aligned: `    3.025`. */
function renderTime(atMs: number): string {
  const seconds = Math.floor(atMs / 1_000)
  return `${seconds}.${String(atMs % 1_000).padStart(3, '0')}`.padStart(9)
}

export function describe(happening: Happening, nameOf: NameOf): string {
  switch (happening.kind) {
    case 'fault':
      return `! ${happening.text}`
    case 'status':
      return happening.word ?? happening.status
    case 'unrecorded':
      return 'has no record'
    case 'remark':
      return happening.text ?? '(no remark any more)'
    case 'event':
      return `${happening.name} ${withNames(happening.payload, nameOf)}`.trimEnd()
    case 'refused':
      return `refuses ${happening.command}: ${happening.reason}`
    case 'log':
      return `(${happening.level}) ${happening.text}`
    case 'view':
      return `names ${nameOf(happening.master)} as master of ${happening.group}`
    case 'hello':
      return `tells ${nameOf(happening.master)} as master of ${happening.group} in config epoch ${happening.configEpoch}`
    case 'vote':
      return `has voted for ${happening.leader} in epoch ${happening.epoch} of ${happening.group}`
    case 'leader':
      return `leads epoch ${happening.epoch} of ${happening.group}`
    case 'candidacy': {
      const { epoch, group, forced, isPlanned } = happening
      return `stands for epoch ${epoch} of ${group}${forced ? ', forced' : isPlanned ? ', coordinated' : ''}`
    }
    case 'selection':
      return `has chosen ${nameOf(happening.chosen)} as master of ${happening.group}`
    case 'said':
      return `says of itself: ${happening.text}`
    case 'role':
      return `is ${describeRole(happening.role, nameOf)}`
    case 'sizes':
      return `holds ${Object.values(happening.sizes).reduce((sum, size) => sum + size, 0)}`
    case 'crowd':
      return `knows ${happening.peers} peers and ${happening.replicas} replicas of ${happening.group}`
    case 'order':
    case 'opinion':
    case 'switchTold':
    case 'misremembered':
    case 'copies':
    case 'forwarded':
    case 'unanswered':
      return `(for checkers) ${happening.kind}`
    case 'writesHeld':
      return happening.isHeld ? 'holds writes back' : 'takes writes again'
    case 'violation':
      return `VIOLATION of "${happening.checker}": ${happening.text}`
    default:
      return unreachable(happening)
  }
}

function describeRole(role: NodeRole, nameOf: NameOf): string {
  if (role.kind === 'master')
    return role.refuses === undefined ? 'master' : `master, refuses writes (${role.refuses})`
  return `replica of ${nameOf(role.master)}, link ${role.isLinkUp ? 'up' : 'down'}`
}

/**
 * Replaces the addresses that events contain with names. A replica's address comes twice and
 * becomes one name.
 */
export function withNames(payload: string, nameOf: NameOf): string {
  const named = (_text: string, host: string, port: string): string =>
    nameOf({ host, port: Number(port) })
  return payload
    .replace(/(\d+\.\d+\.\d+\.\d+):(\d+) \1 \2/g, named)
    .replace(/(\d+\.\d+\.\d+\.\d+)[ :](\d+)/g, named)
}

function nameWrite(operation: Operation): string {
  switch (operation.kind) {
    case 'key':
      return operation.key
    case 'member':
      return `${operation.set} ${operation.member}`
    case 'increment':
      return operation.counter
    case 'assign':
      return `${operation.key} ${operation.value}`
    case 'data':
      return operation.request.commands.map((argv) => argv.slice(0, 3).join(' ')).join('; ')
    default:
      return unreachable(operation)
  }
}

function renderWrite(write: Write): string {
  const { outcome } = write
  const end = outcome.kind === 'pending' ? '' : ` ${outcome.atMs}`
  const text = outcome.kind === 'refused' ? ` ${outcome.text}` : ''
  return `write ${nameWrite(write.operation)} ${write.attemptedAtMs} ${write.node} ${outcome.kind}${end}${text}`
}
