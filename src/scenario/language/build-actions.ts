/** From what a step of a file does to actions: one for most, several where a file says it shorter. */
import { unreachable } from '../../base/assert.ts'
import type { Action } from '../../sim/action.ts'
import type { LinkShape } from '../../sim/link-shape.ts'
import type { Cast } from './cast.ts'
import type { Problems } from './problems.ts'
import type { RawStep } from './schema.ts'
import { ACTIONS, type ActionKey } from './schema-actions.ts'
import type { Path } from './source.ts'

type NetworkKey = Extract<
  ActionKey,
  'readdress' | 'partition' | 'cut' | 'hold' | 'release' | 'refuse' | 'shape' | 'reset' | 'heal'
>

type Raw<Key extends ActionKey> = NonNullable<RawStep[Key]>

export class ActionBuilder {
  readonly #cast: Cast
  readonly #problems: Problems

  constructor(cast: Cast, problems: Problems) {
    this.#cast = cast
    this.#problems = problems
  }

  /** None: the step does nothing. Names that stand for nothing are noted as problems. */
  build(raw: RawStep, path: Path): readonly Action[] {
    const key = (Object.keys(ACTIONS) as ActionKey[]).find((action) => raw[action] !== undefined)
    return key === undefined ? [] : this.#build(raw, key, [...path, key])
  }

  #build(raw: RawStep, key: ActionKey, at: Path): readonly Action[] {
    switch (key) {
      case 'kill':
      case 'stop':
      case 'pause':
      case 'resume':
        return [{ kind: key, processes: this.#processes(raw[key] ?? [], at) }]
      case 'start':
        return [{ kind: key, processes: this.#processes(raw[key] ?? [], at) }]
      case 'restart':
        return [this.#restart(raw.restart ?? [], at)]
      case 'stall':
      case 'clock-jump':
      case 'clock-drift':
      case 'disk-failure':
      case 'disk-repair':
        return this.#ail(raw, at)
      case 'power-loss':
        return [{ kind: 'powerLoss', hosts: this.#hosts(raw[key] ?? [], at) }]
      case 'readdress':
      case 'partition':
      case 'cut':
      case 'hold':
      case 'release':
      case 'refuse':
      case 'shape':
      case 'reset':
      case 'heal':
        return this.#network(raw, key, at)
      case 'command':
        return [this.#command(raw.command ?? { to: '', argv: [] }, at)]
      case 'failover':
        return [this.#failover(raw.failover ?? { at: '' }, raw.group, at)]
      default:
        return unreachable(key)
    }
  }

  /** What goes wrong within a machine. */
  #ail(raw: RawStep, at: Path): readonly Action[] {
    const stall = raw.stall
    if (stall !== undefined) {
      const processes = this.#processes(stall.process, [...at, 'process'])
      return [{ kind: 'stall', processes, forMs: stall.for }]
    }
    const jump = raw['clock-jump']
    if (jump !== undefined) {
      return this.#each(jump.process, at, { kind: 'clockJump', byMs: jump.by })
    }
    const drift = raw['clock-drift']
    if (drift !== undefined) {
      return this.#each(drift.process, at, { kind: 'clockDrift', rate: drift.rate })
    }
    const failure = raw['disk-failure']
    if (failure === undefined)
      return this.#each(raw['disk-repair'] ?? [], at, { kind: 'repairDisk' })
    const { process, operation = 'write', reason = DISK_REASONS[operation] } = failure
    return this.#each(process, at, { kind: 'failDisk', operation, reason })
  }

  #network(raw: RawStep, key: NetworkKey, at: Path): readonly Action[] {
    switch (key) {
      case 'readdress':
        return [this.#readdress(raw.readdress ?? '', at)]
      case 'partition':
        return [{ kind: key, groups: this.#hostGroups(raw.partition ?? [], at) }]
      case 'cut':
      case 'hold':
      case 'refuse':
        return [{ kind: key, ...this.#way(raw[key] ?? { from: '', to: '' }, at) }]
      case 'release':
      case 'heal':
        return [{ kind: key }]
      case 'shape':
        return this.#shape(raw.shape ?? {}, at)
      case 'reset':
        return [this.#reset(raw.reset ?? '', at)]
      default:
        return unreachable(key)
    }
  }

  #restart(raw: Raw<'restart'>, path: Path): Action {
    const isList = Array.isArray(raw)
    const names = isList ? raw : raw.process
    const disk = isList ? 'kept' : (raw.disk ?? 'kept')
    return { kind: 'restart', processes: this.#processes(names, path), disk }
  }

  #readdress(raw: Raw<'readdress'>, path: Path): Action {
    const { host, disk = 'kept' } = typeof raw === 'string' ? { host: raw } : raw
    return { kind: 'readdress', host: this.#hosts([host], path)[0] ?? host, disk }
  }

  #way({ from, to }: Raw<'cut'>, path: Path): Raw<'cut'> {
    this.#hosts([from], [...path, 'from'])
    this.#hosts([to], [...path, 'to'])
    if (from === to) {
      this.#problems.add(path, 'E_VALUE', 'leads from a host to itself', 'name two hosts')
    }
    return { from, to }
  }

  #shape({ between, from, to, ...raw }: Raw<'shape'>, path: Path): readonly Action[] {
    const shape = toShape(raw)
    this.#hosts(between ?? [], [...path, 'between'])
    this.#hosts(
      [from, to].filter((host) => host !== undefined),
      path,
    )
    if (between === undefined) return [{ kind: 'shape', from, to, shape }]
    const [a, b] = between
    return [
      { kind: 'shape', from: a, to: b, shape },
      { kind: 'shape', from: b, to: a, shape },
    ]
  }

  #reset(raw: Raw<'reset'>, path: Path): Action {
    const { host, peer } = typeof raw === 'string' ? { host: raw, peer: undefined } : raw
    this.#hosts(peer === undefined ? [host] : [host, peer], path)
    return { kind: 'reset', host, peer }
  }

  #command({ to, argv }: Raw<'command'>, path: Path): Action {
    const { nodes, sentinels } = this.#cast
    this.#actors([...path, 'to'], 'node or Sentinel', [to], [...nodes, ...sentinels])
    return { kind: 'command', process: to, argv }
  }

  #failover(raw: Raw<'failover'>, around: string | undefined, path: Path): Action {
    this.#actors([...path, 'at'], 'Sentinel', [raw.at], this.#cast.sentinels)
    const group = this.#cast.group(path, raw.group ?? around)
    const how = raw.coordinated ? ['COORDINATED'] : []
    return { kind: 'command', process: raw.at, argv: ['SENTINEL', 'FAILOVER', group, ...how] }
  }

  #each(names: readonly string[], path: Path, ailment: Ailment): readonly Action[] {
    return this.#processes(names, path).map((process) => ({ ...ailment, process }))
  }

  #processes(names: readonly string[], path: Path): readonly string[] {
    this.#actors(path, 'process', names, this.#cast.processes)
    this.#cast.checkOnce(path, names)
    return names
  }

  #hostGroups(groups: readonly (readonly string[])[], path: Path): readonly (readonly string[])[] {
    groups.forEach((hosts, index) => {
      this.#hosts(hosts, [...path, index])
    })
    this.#cast.checkOnce(path, groups.flat())
    return groups
  }

  #hosts(names: readonly string[], path: Path): readonly string[] {
    this.#actors(path, 'host', names, this.#cast.hosts)
    return names
  }

  #actors(path: Path, what: string, names: readonly string[], known: readonly string[]): void {
    this.#cast.checkActors(path, what, names, known)
  }
}

type OfOneProcess = Extract<
  Action,
  { kind: 'clockJump' | 'clockDrift' | 'failDisk' | 'repairDisk' }
>
type Without<Of> = Of extends Of ? Omit<Of, 'process'> : never
/** What is done to each of several processes. */
type Ailment = Without<OfOneProcess>

const DISK_REASONS = { write: 'No space left on device', sync: 'Input/output error' } as const

type RawShape = Omit<Raw<'shape'>, 'between' | 'from' | 'to'>

function toShape({ latency, jitter, loss, duplication, bandwidth }: RawShape): LinkShape {
  return {
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(jitter === undefined ? {} : { jitterMs: jitter }),
    ...(loss === undefined ? {} : { loss }),
    ...(duplication === undefined ? {} : { duplication }),
    ...(bandwidth === undefined ? {} : { bytesPerSecond: bandwidth }),
  }
}
