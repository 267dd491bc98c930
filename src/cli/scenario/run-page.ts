/** One page per run, in a file that needs no other file. */
import { basename, join } from 'node:path'
import type { ScenarioResult } from '../../scenario/result.ts'
import type { Played } from '../../scenario/run.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import { writeResultIn } from '../files.ts'
import type { ProgramSide } from './engines.ts'

/** Writes `NN-name-seedS.html` into the folder, which is created if need be. Returns the path. */
export async function writePage(
  folder: string,
  file: ScenarioFile,
  { result, history }: Played,
  against: ProgramSide = 'vedette',
): Promise<string> {
  const { renderPage } = await import('../../report/page/html-page.ts')
  const path = join(folder, pageName(file.file, { ...result, against }))
  writeResultIn(path, renderPage(file, result, history))
  return path
}

/** Pages of other engines and other programs stand beside each other, and none replaces another. */
export function pageName(
  file: string,
  { seed, engine, against }: Pick<ScenarioResult, 'seed' | 'engine'> & { against: ProgramSide },
): string {
  const scenario = basename(file).replace(/\.ya?ml$/, '')
  const by = engine === 'sim' ? '' : `-${engine}`
  const whose = against === 'vedette' ? '' : `-${against}`
  return `${scenario}${by}${whose}-seed${seed.replaceAll(/[^\w.-]/g, '_')}.html`
}
