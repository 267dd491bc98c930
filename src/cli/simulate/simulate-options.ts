/** The options of `vedette simulate`, interpreted together. */

import type { SentinelPlacement } from '../../simulate/boxes.ts'
import type { ProfileName } from '../../simulate/profiles.ts'
import type { SeedRange } from '../options.ts'

/** As the command line gives them; each value has been checked by itself. */
export interface SimulateOptions {
  readonly seeds: SeedRange
  /** Plays only this one history, and shows it in full. */
  readonly seed?: string
  readonly profile: ProfileName
  readonly server?: readonly string[]
  readonly compare?: string
  readonly compareServer?: readonly string[]
  /** Plays each history with async replication, with min-replicas-to-write, and strictly. */
  readonly compareReplication?: true
  readonly sentinels?: number
  readonly replicas?: number
  readonly layout?: SentinelPlacement
  readonly rate: number
  readonly jobs?: number
  readonly json?: true
  readonly write?: string
  readonly report?: string
}

/** Options that do not go together, and what to do; undefined: there are none. */
export function conflictIn(
  options: SimulateOptions,
): { readonly message: string; readonly hint: string } | undefined {
  const { seed, seeds, write, report, compare, compareServer, compareReplication } = options
  if (seed === undefined && (write ?? report) !== undefined)
    return { message: '--write and --report need one history', hint: 'add --seed N' }
  // The range that stands for none is this one, and no other like it.
  if (seed !== undefined && seeds !== DEFAULT_SEEDS)
    return { message: '--seed and --seeds exclude each other', hint: 'leave one out' }
  if (compareReplication && (compare ?? compareServer) !== undefined) {
    const hint = 'leave --compare and --compare-server out'
    return { message: '--compare-replication compares one configuration with itself', hint }
  }
  return undefined
}

/** One configuration: the file of a Sentinel, and those of the nodes. */
export interface Configuration {
  readonly path: string
  readonly servers: readonly string[]
}

/**
 * The configuration, and the one it is compared with: files that are not given again are the same
 * in both.
 */
export function configurationsOf(path: string, options: SimulateOptions): readonly Configuration[] {
  const { compare, compareServer, server = [] } = options
  const own = { path, servers: server }
  if (compare === undefined && compareServer === undefined) return [own]
  return [own, { path: compare ?? path, servers: compareServer ?? server }]
}

/** The command that plays one seed of the same histories in full. */
export function replayCommand(path: string, options: SimulateOptions, seed: string): string {
  const { profile, sentinels, replicas, layout, rate, compare, compareServer, server } = options
  const words = [
    ...['vedette simulate', path],
    ...(server ?? []).map((file) => `--server ${file}`),
    ...(compare === undefined ? [] : [`--compare ${compare}`]),
    ...(compareServer ?? []).map((file) => `--compare-server ${file}`),
    ...(options.compareReplication ? ['--compare-replication'] : []),
    ...(profile === 'lan' ? [] : [`--profile ${profile}`]),
    ...(sentinels === undefined ? [] : [`--sentinels ${sentinels}`]),
    ...(replicas === undefined ? [] : [`--replicas ${replicas}`]),
    ...(layout === undefined ? [] : [`--layout ${layout}`]),
    ...(rate === DEFAULT_RATE ? [] : [`--rate ${rate}`]),
    `--seed ${seed}`,
  ]
  return words.join(' ')
}

/** Repeated here, so that the help of other programs need not load the simulator. */
export const PROFILE_NAMES = ['lan', 'cross-zone', 'wan'] as const satisfies readonly ProfileName[]
export const LAYOUTS = ['together', 'apart'] as const satisfies readonly SentinelPlacement[]

/** Writes per second of each client: few, because a history is played hundreds of times. */
export const DEFAULT_RATE = 20
export const DEFAULT_SEEDS: SeedRange = { first: 1, last: 200 }
