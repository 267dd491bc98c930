/** What the runs of `vedette fuzz` have reached: for the search that prefers what is new, and to be told at the end. */
import { writeFileSync } from 'node:fs'
import { createRng } from '../../base/rng.ts'
import { Corpus } from '../../fuzz/guided/corpus.ts'
import { CoverageMap } from '../../fuzz/guided/coverage.ts'
import type { FuzzPlan } from '../../fuzz/plan.ts'
import type { JobOutcome } from '../pool/pool.ts'
import { coverageFile, coverageJson, coverageLines, summarise } from './coverage-report.ts'
import type { FuzzOutcome } from './fuzz-job.ts'

export interface CoverageOptions {
  readonly guided?: true
  readonly coverage?: true
  readonly coverageJson?: string
  readonly json?: true
}

export class ReachedCode {
  readonly #map = new CoverageMap()
  readonly #corpus: Corpus
  #runs = 0

  constructor(seed: string) {
    this.#corpus = new Corpus(createRng(`guided/${seed}`))
  }

  add(seed: string, outcome: JobOutcome<FuzzOutcome>): void {
    const measured = outcome.kind === 'done' ? outcome.result.measured : undefined
    if (measured === undefined) return
    this.#runs++
    if (measured.all !== undefined) this.#map.add(seed, measured.all)
    this.#map.add(seed, measured.coverage)
    this.#corpus.add(measured.plan, measured.features)
  }

  /** Undefined: the one that the next seed stands for. */
  nextPlan(): FuzzPlan | undefined {
    return this.#corpus.next()
  }

  tell({ guided, coverage, coverageJson: path, json }: CoverageOptions): void {
    const { size, features } = this.#corpus
    if (guided && json)
      write([JSON.stringify({ kind: 'guided', runs: this.#runs, kept: size, features })])
    else if (guided)
      write([`  ${features} features, ${size} of ${this.#runs} runs showed a new one`])
    if (coverage) {
      const summary = summarise(this.#map)
      write(json ? [coverageJson(summary)] : coverageLines(summary))
    }
    if (path !== undefined) writeFileSync(path, coverageFile(this.#map, this.#runs))
  }
}

function write(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
