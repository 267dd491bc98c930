import type { NodeSpec } from '../../sim/topology.ts'
import type { History } from '../world.ts'

/** A directive as the files of a node have it. */
export function settingOf(node: NodeSpec, name: string): string | undefined {
  return node.directives.get(name)
}

/** Somebody changed settings of the node in the run, so that the files do not tell what holds. */
export function isSetByCommand({ happenings }: Pick<History, 'happenings'>, node: string): boolean {
  return happenings.some((happening) => {
    if (happening.kind !== 'fault' || happening.action?.kind !== 'command') return false
    const { process, argv } = happening.action
    return process === node && argv[0]?.toUpperCase() === 'CONFIG'
  })
}
