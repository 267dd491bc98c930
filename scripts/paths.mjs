import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder that contains package.json. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The absolute path of a file of this project. */
export function pathOf(relative) {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url))
}

/** The shipped scenarios and those that were found, relative to the project. */
export function scenarioFiles() {
  return ['scenarios', 'scenarios/found'].flatMap((folder) =>
    readdirSync(pathOf(folder))
      .filter((name) => name.endsWith('.yml'))
      .map((name) => `${folder}/${name}`),
  )
}
