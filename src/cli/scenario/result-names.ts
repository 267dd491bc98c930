/** What the pages and records of a scenario are called: after its file, and if need be after the folder of that. */
import { basename, resolve, sep } from 'node:path'

/** The name of each file. Files that are called alike get as many folders before their names as tell them apart. */
export function resultNames(files: readonly string[]): ReadonlyMap<string, string> {
  const places = [...new Set(files.map((file) => resolve(file)))]
  const taken = places.map(namesFor)
  return new Map(
    files.map((file) => {
      const others = taken.filter((_, at) => places[at] !== resolve(file)).flat()
      const names = namesFor(file)
      return [file, names.find((name) => !others.includes(name)) ?? (names.at(-1) as string)]
    }),
  )
}

/** The name of a file that stands alone. */
export function resultName(file: string): string {
  return basename(file).replace(/\.ya?ml$/, '')
}

/** The shortest first: `kill`, `shop-kill`, …; the longest has the ending, too. */
function namesFor(file: string): readonly string[] {
  const folders = resolve(file).split(sep).slice(1, -1)
  const name = resultName(file)
  const longer = folders.map((_, at) => [...folders.slice(-1 - at), name].join('-'))
  return [name, ...longer, [...folders, basename(file)].join('-')]
}
