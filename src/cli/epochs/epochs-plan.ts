/**
 * What to do about the epochs of a fleet, from what its Sentinels report (`SENTINEL EPOCHS`). Why it takes
 * all of them, and what each step promises, is in core/election/renumber.ts.
 */
import { HONEST_MAX } from '../../core/election/renumber.ts'
import { printable } from '../status/asking.ts'

/** The report of one Sentinel. */
export interface EpochReport {
  /** The `host:port` at which it was asked. */
  readonly address: string
  readonly phase: 'running' | 'frozen' | 'lowered'
  readonly myid: string
  readonly currentEpoch: number
  readonly groups: readonly {
    readonly name: string
    readonly master: string
    readonly configEpoch: number
    readonly leaderEpoch: number
    /** Run ids of the Sentinels it counts. */
    readonly peers: readonly string[]
  }[]
}

/** The reply of SENTINEL EPOCHS; undefined for anything else. */
export function readReport(address: string, reply: unknown): EpochReport | undefined {
  const [phase, myid, currentEpoch, groups] = Array.isArray(reply) ? reply : []
  if (phase !== 'running' && phase !== 'frozen' && phase !== 'lowered') return undefined
  if (typeof myid !== 'string' || !isNumber(currentEpoch)) return undefined
  if (!Array.isArray(groups) || !groups.every(isGroup)) return undefined
  const read = groups.map(([name, master, configEpoch, leaderEpoch, peers]) => {
    const epochs = { configEpoch: Number(configEpoch), leaderEpoch: Number(leaderEpoch) }
    return { name: printable(name), master: printable(master), ...epochs, peers }
  })
  return { address, phase, myid, currentEpoch: Number(currentEpoch), groups: read }
}

type RawGroup = [string, string, string, string, string[]]

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,16}$/.test(value)
}

function isGroup(value: unknown): value is RawGroup {
  const [name, master, configEpoch, leaderEpoch, peers] = Array.isArray(value) ? value : []
  const texts = [name, master, ...(Array.isArray(peers) ? peers : [undefined])]
  const areTexts = texts.every((text) => typeof text === 'string')
  return areTexts && [configEpoch, leaderEpoch].every(isNumber)
}

/** Whether it has numbers that no honest election can have reached. */
export function isPoisoned(report: EpochReport): boolean {
  return numbersOf(report).some((epoch) => epoch > HONEST_MAX)
}

/** Why nothing may be lowered, each with a remedy; empty if it may. */
export function obstaclesTo(reports: readonly EpochReport[]): readonly string[] {
  return [...missingIn(reports), ...disagreementsIn(reports)]
}

/** One more than any honest epoch: all votes and configurations up to there stay valid. */
export function newEpoch(reports: readonly EpochReport[]): number {
  return Math.max(0, ...reports.flatMap(numbersOf).filter((epoch) => epoch <= HONEST_MAX)) + 1
}

function numbersOf({ currentEpoch, groups }: EpochReport): number[] {
  return [currentEpoch, ...groups.flatMap((group) => [group.configEpoch, group.leaderEpoch])]
}

function missingIn(reports: readonly EpochReport[]): string[] {
  const here = new Set(reports.map(({ myid }) => myid))
  const missing = reports.flatMap(({ address, groups }) =>
    groups.flatMap(({ name, peers }) => {
      const absent = peers.filter((peer) => !here.has(peer))
      return absent.map((peer) => `${address} counts Sentinel ${peer} in ${name}`)
    }),
  )
  const cure = 'which does not answer: start it, or SENTINEL RESET the group at all others'
  return missing.map((text) => `${text}, ${cure}`)
}

/** A Sentinel with another master, or alone with its view, must first hear of the newest one. */
function disagreementsIn(reports: readonly EpochReport[]): string[] {
  const masters = new Map<string, Set<string>>()
  for (const { name, master } of reports.flatMap(({ groups }) => groups)) {
    masters.set(name, (masters.get(name) ?? new Set()).add(master))
  }
  return [...masters].flatMap(([name, named]) => {
    if (named.size === 1) return []
    const who = [...named].join(' and ')
    return [`the master of ${name} is ${who}: REMOVE and MONITOR it where it is wrong`]
  })
}
