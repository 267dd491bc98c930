/** One page per run, as a file that needs nothing else. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { reasonOf, StartError } from '../io/start-error.ts'
import type { Played } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'

/** Writes `NN-name-seedS.html` into the folder, which is made if need be. Gives its path. */
export async function writePage(
  folder: string,
  file: ScenarioFile,
  { result, history }: Played,
): Promise<string> {
  const { renderPage } = await import('../report/html-page.ts')
  const path = join(folder, pageName(file.file, result.seed, result.engine))
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, renderPage(file, result, history))
  } catch (error) {
    throw new StartError(
      'E_REPORT_FILE',
      `cannot write ${path}: ${reasonOf(error)}`,
      'name a folder that this user may write to',
    )
  }
  return path
}

/** Runs of other engines stand beside those of the simulator, and do not replace them. */
function pageName(file: string, seed: string, engine: string): string {
  const scenario = basename(file).replace(/\.ya?ml$/, '')
  const by = engine === 'sim' ? '' : `-${engine}`
  return `${scenario}${by}-seed${seed.replaceAll(/[^\w.-]/g, '_')}.html`
}
