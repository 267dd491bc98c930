/**
 * What the disks of nodes hold when their processes die. With an append-only file a process that is
 * killed loses nothing that it had; a power cut takes at most two seconds of it (`everysec`) or
 * nothing (`always`). A disk that ever failed, was slow or was taken away promises nothing, and neither
 * does a node whose settings were changed while it ran.
 */
import type { Happening } from '../../history/happening.ts'
import type { NodeSpec, Topology } from '../../history/topology.ts'
import { settingOf } from './known-settings.ts'

/** With `everysec`: the second that may pass before a sync, and the one that it may take. */
const EVERYSEC_MS = 2_000

export class KeptOnDisk {
  readonly #nodes: ReadonlyMap<string, NodeSpec>
  /** Nodes whose disks promise nothing any more. */
  readonly #unsafe = new Set<string>()
  /** Nodes that died because their hosts lost power, at this time. */
  readonly #cutAtMs = new Map<string, number>()

  constructor({ nodes }: Topology) {
    this.#nodes = new Map(nodes.map((node) => [node.name, node]))
    for (const node of nodes) if (!hasFile(node)) this.#unsafe.add(node.name)
  }

  note(happening: Happening): void {
    if (happening.kind !== 'fault' || happening.action === undefined) return
    const { action, atMs } = happening
    if (action.kind === 'powerLoss') {
      for (const name of this.#on(action.hosts)) this.#cutAtMs.set(name, atMs)
    } else if (action.kind === 'readdress') {
      for (const name of this.#on([action.host])) {
        this.#cutAtMs.set(name, atMs)
        if (action.disk === 'empty') this.#unsafe.add(name)
      }
    } else if (action.kind === 'restart' && action.disk === 'empty') {
      for (const name of action.processes) this.#unsafe.add(name)
    } else if (action.kind === 'diskFailure' || action.kind === 'diskDelay') {
      this.#unsafe.add(action.process)
    } else if (action.kind === 'command' && action.argv[0]?.toUpperCase() === 'CONFIG') {
      this.#unsafe.add(action.process)
    }
  }

  /** Whether a node that has just died keeps what it had since `hadAtMs`. */
  keeps(node: string, hadAtMs: number, diedAtMs: number): boolean {
    const spec = this.#nodes.get(node)
    if (spec === undefined || this.#unsafe.has(node)) return false
    if (this.#cutAtMs.get(node) !== diedAtMs) return true
    const policy = settingOf(spec, 'appendfsync') ?? 'everysec'
    if (policy === 'always') return true
    return policy === 'everysec' && hadAtMs + EVERYSEC_MS < diedAtMs
  }

  /** Whether the disk still has what it kept: a restart may have come without it. */
  isSafe(node: string): boolean {
    return !this.#unsafe.has(node)
  }

  #on(hosts: readonly string[]): readonly string[] {
    return [...this.#nodes.values()]
      .filter(({ host }) => hosts.includes(host))
      .map(({ name }) => name)
  }
}

function hasFile(node: NodeSpec): boolean {
  return settingOf(node, 'appendonly') === 'yes'
}
