import { fileURLToPath } from 'node:url'

/** The folder that contains package.json. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The absolute path of a file of this project. */
export function pathOf(relative) {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url))
}
