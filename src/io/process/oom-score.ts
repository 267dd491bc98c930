/**
 * [oom-score-adj] Which process Linux ends first when the machine is out of memory: one with a higher
 * number. A master gets the first number of the list, a replica the second; the third is for forked
 * children, and nothing is forked.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../start-error.ts'

const FILE = '/proc/self/oom_score_adj'
const MOST = 1000

export interface OomWish {
  /** `yes` and `relative` mean the same. */
  readonly mode: 'no' | 'yes' | 'relative' | 'absolute'
  readonly value: number
}

export class OomScore {
  readonly #path: string
  /** As the process was started. */
  #initial: number | undefined
  #isChanged = false

  constructor(path = FILE) {
    this.#path = path
  }

  /** Undefined if it is so now, otherwise why not. */
  apply({ mode, value }: OomWish): string | undefined {
    if (mode === 'no' && !this.#isChanged) return undefined
    try {
      this.#initial ??= Number(readFileSync(this.#path, 'utf8'))
      const base = mode === 'absolute' ? 0 : this.#initial
      const wanted = base + (mode === 'no' ? 0 : value)
      writeFileSync(this.#path, String(Math.min(MOST, Math.max(-MOST, wanted))))
      this.#isChanged = mode !== 'no'
      return undefined
    } catch (error) {
      return `oom-score-adj cannot be applied: ${reasonOf(error)}; below its present value it takes privileges`
    }
  }
}
