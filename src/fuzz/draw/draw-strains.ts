/**
 * Draws what wears a cluster down (faults/strain-faults.ts), beside everything else that goes wrong: in one
 * run of six, and few at a time. The stream of chance is their own, so that all other draws of a seed are as
 * they would be without them.
 */
import type { Rng } from '../../base/rng.ts'
import { BusyUntil } from '../busy-until.ts'
import { drawStrain, endOf, type Fault, STRAIN_KINDS } from '../faults/faults.ts'
import type { Setting } from '../members.ts'
import { between, numbers } from '../odds.ts'
import { FIRST_FAULT_MS } from '../plan.ts'

const STRAINED_RUNS = 6
const STRAINS_MAX = 3

export function drawStrains(rng: Rng, setting: Setting, others: readonly Fault[]): Fault[] {
  if (!rng.fork('any').chance(1, STRAINED_RUNS)) return []
  const kinds = STRAIN_KINDS.flatMap(({ kind, weight }) => Array<typeof kind>(weight).fill(kind))
  return numbers(between(rng.fork('count'), 1, STRAINS_MAX)).flatMap((number) => {
    const own = rng.fork(`strain/${number}`)
    const fromMs = between(own.fork('from'), FIRST_FAULT_MS, setting.calmMs - 1_000)
    const occupation = occupationAt(fromMs, setting, others)
    return drawStrain(own, own.fork('kind').pick(kinds), { ...setting, fromMs, occupation }) ?? []
  })
}

/**
 * The processes that are down or unable to save at some time from now on until calm: starting one of them again
 * would fail, or undo the other fault.
 */
function occupationAt(fromMs: number, { calmMs }: Setting, others: readonly Fault[]): BusyUntil {
  const occupation = new BusyUntil()
  for (const fault of others) {
    if (endOf(fault) < fromMs) continue
    if (fault.kind === 'diskFailure') occupation.occupy([fault.process], calmMs)
    if ('processes' in fault) occupation.occupy(fault.processes, calmMs)
    if ('residents' in fault) occupation.occupy(fault.residents, calmMs)
  }
  return occupation
}
