/**
 * The keys of a client in each of its databases. There are few, so that commands meet what others
 * left behind. The `u` keys take values of any type.
 */
import type { Rng } from '../../base/rng.ts'
import type { ValueType } from './holdings.ts'

type Family = Exclude<ValueType, never> | 'number'

export const KEYS_OF: Readonly<Record<Family, readonly string[]>> = {
  string: ['s1', 's2', 's3'],
  number: ['n1', 'n2'],
  hash: ['h1', 'h2'],
  list: ['l1', 'l2'],
  set: ['e1', 'e2'],
  zset: ['z1', 'z2'],
  stream: ['x1'],
}
/** Keys that any family uses now and then. */
export const MIXED_KEYS: readonly string[] = ['u1', 'u2']
export const ALL_KEYS: readonly string[] = [...Object.values(KEYS_OF).flat(), ...MIXED_KEYS]

const MIXED_ONE_IN = 12

export function drawKey(rng: Rng, family: Family): string {
  return rng.pick(rng.chance(1, MIXED_ONE_IN) ? MIXED_KEYS : KEYS_OF[family])
}

export function drawAnyKey(rng: Rng): string {
  return rng.pick(ALL_KEYS)
}

/** A field, a member or an element: one of few. */
export function drawMember(rng: Rng): string {
  return `m${rng.below(8)}`
}

/** Sometimes longer than the compact encodings take, and seldom longer than a slice of a snapshot. */
export function drawText({ rng, unique }: { readonly rng: Rng; readonly unique: number }): string {
  if (rng.chance(1, 60)) return `${unique}:${'long '.repeat(rng.pick([30, 300, 3_000]))}`
  return rng.chance(1, 3) ? `${unique}` : `v${unique}`
}

/** From hardly noticed to longer than a failover takes. */
export function drawPeriodMs({ rng }: { readonly rng: Rng }): number {
  return rng.pick([40, 400, 1_500, 4_000, 20_000, 100_000])
}
