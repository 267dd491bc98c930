import type { NodeSpec } from '../../history/topology.ts'
import type { RunHistory } from '../world.ts'

/** A directive as the files of a node have it. */
export function settingOf(node: NodeSpec, name: string): string | undefined {
  return node.directives.get(name)
}

/**
 * Whether a command changed settings of the node in the run, so that the files do not say what
 * holds.
 */
export function isSetByCommand(
  { happenings }: Pick<RunHistory, 'happenings'>,
  node: string,
): boolean {
  return happenings.some((happening) => {
    if (happening.kind !== 'fault' || happening.action?.kind !== 'command') return false
    const { process, argv } = happening.action
    return process === node && argv[0]?.toUpperCase() === 'CONFIG'
  })
}
