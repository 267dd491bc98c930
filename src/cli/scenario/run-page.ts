/** One page per run, in a file that needs no other file. */
import { join } from 'node:path'
import type { ScenarioResult } from '../../scenario/result.ts'
import type { Played } from '../../scenario/run.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import { writeResultIn } from '../files.ts'
import type { ProgramSide } from './engines.ts'
import { resultName } from './result-names.ts'

/** What tells a page from those beside it. */
export interface PageLabel {
  /** By default that of a file that stands alone. */
  readonly name?: string | undefined
  readonly against?: ProgramSide
}

/** Writes `NN-name-seedS.html` into the folder, which is created if need be. Returns the path. */
export async function writePage(
  folder: string,
  file: ScenarioFile,
  { result, history }: Played,
  { name = resultName(file.file), against = 'vedette' }: PageLabel = {},
): Promise<string> {
  const { renderPage } = await import('../../report/page/html-page.ts')
  const path = join(folder, pageName(name, { ...result, against }))
  writeResultIn(path, renderPage(file, result, history))
  return path
}

/** Pages of other engines and other programs stand beside each other, and none replaces another. */
export function pageName(
  name: string,
  { seed, engine, against }: Pick<ScenarioResult, 'seed' | 'engine'> & { against: ProgramSide },
): string {
  const by = engine === 'sim' ? '' : `-${engine}`
  const whose = against === 'vedette' ? '' : `-${against}`
  return `${name}${by}${whose}-seed${seed.replaceAll(/[^\w.-]/g, '_')}.html`
}
