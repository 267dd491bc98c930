/** From the `timeline` of a file to actions at times. */
import { unreachable } from '../base/assert.ts'
import type { Action } from '../sim/action.ts'
import type { Cast } from './cast.ts'
import type { Problems } from './problems.ts'
import type { Step } from './scenario-file.ts'
import { ACTIONS, type RawStep } from './schema.ts'
import type { Path } from './source.ts'

type ActionKey = keyof typeof ACTIONS

export function buildSteps(raw: readonly RawStep[], cast: Cast, problems: Problems): Step[] {
  const steps = raw.map((step, index) => buildStep(step, ['timeline', index], cast))
  const labels = new Set<string>()
  steps.forEach(({ label }, index) => {
    if (label === undefined) return
    if (labels.has(label)) {
      problems.add(['timeline', index, 'as'], 'E_DUPLICATE', `${label} names two steps`, '')
    }
    labels.add(label)
  })
  return steps.sort((a, b) => a.atMs - b.atMs)
}

function buildStep(raw: RawStep, path: Path, cast: Cast): Step {
  const key = (Object.keys(ACTIONS) as ActionKey[]).find((action) => raw[action] !== undefined)
  const action = buildAction(raw, key ?? 'heal', path, cast)
  return { atMs: raw.at, label: raw.as, action }
}

function buildAction(raw: RawStep, key: ActionKey, path: Path, cast: Cast): Action {
  const at = [...path, key]
  switch (key) {
    case 'kill':
    case 'stop':
    case 'pause':
    case 'resume':
      return { kind: key, processes: processes(raw[key] ?? [], at, cast) }
    case 'restart':
      return buildRestart(raw.restart ?? [], at, cast)
    case 'partition':
      return { kind: key, groups: hostGroups(raw.partition ?? [], at, cast) }
    case 'cut': {
      const { from, to } = raw.cut ?? { from: '', to: '' }
      cast.check([...at, 'from'], 'host', [from], cast.hosts)
      cast.check([...at, 'to'], 'host', [to], cast.hosts)
      return { kind: key, from, to }
    }
    case 'heal':
      return { kind: key }
    case 'clock-jump': {
      const { process, by } = raw['clock-jump'] ?? { process: '', by: 0 }
      cast.check([...at, 'process'], 'process', [process], cast.processes)
      return { kind: 'clockJump', process, byMs: by }
    }
    case 'disk-failure': {
      const { process, reason } = raw['disk-failure'] ?? { process: '' }
      cast.check([...at, 'process'], 'process', [process], cast.processes)
      return {
        kind: 'failDisk',
        process,
        operation: 'write',
        reason: reason ?? 'No space left on device',
      }
    }
    case 'disk-repair': {
      const process = raw['disk-repair'] ?? ''
      cast.check(at, 'process', [process], cast.processes)
      return { kind: 'repairDisk', process }
    }
    case 'command': {
      const { to, argv } = raw.command ?? { to: '', argv: [] }
      cast.check([...at, 'to'], 'node or Sentinel', [to], [...cast.nodes, ...cast.sentinels])
      return { kind: key, process: to, argv }
    }
    default:
      return unreachable(key)
  }
}

function buildRestart(raw: NonNullable<RawStep['restart']>, path: Path, cast: Cast): Action {
  const isList = Array.isArray(raw)
  const names = isList ? raw : raw.process
  const disk = isList ? 'kept' : (raw.disk ?? 'kept')
  return { kind: 'restart', processes: processes(names, path, cast), disk }
}

function processes(names: readonly string[], path: Path, cast: Cast): readonly string[] {
  cast.check(path, 'process', names, cast.processes)
  return names
}

function hostGroups(
  groups: readonly (readonly string[])[],
  path: Path,
  cast: Cast,
): readonly (readonly string[])[] {
  groups.forEach((hosts, index) => {
    cast.check([...path, index], 'host', hosts, cast.hosts)
  })
  cast.checkOnce(path, groups.flat())
  return groups
}
