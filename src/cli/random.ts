import { randomBytes } from 'node:crypto'
import { createRng, type Rng } from '../base/rng.ts'

/**
 * A generator that no attacker can predict: run ids and election delays must differ between
 * machines.
 */
export function randomSeed(): Rng {
  return createRng(randomBytes(32).toString('hex'))
}
