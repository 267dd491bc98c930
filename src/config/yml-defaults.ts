/**
 * `defaults:` of a sentinel.yml: options that every group of the file has unless it says otherwise. A map or a list of
 * the group takes the place of the one in the defaults as a whole.
 */
import type { Location, Problem } from './problem.ts'
import { groupOptionFault } from './sentinel-schema.ts'
import { didYouMean } from './suggest.ts'
import { addressOf, type YmlDocument } from './yml-document.ts'

const SECTION = 'defaults'

type YmlMap = Readonly<Record<string, unknown>>

/** The document as if each group repeated the defaults, without the section itself. */
export function withDefaults(document: YmlDocument, file: string): YmlDocument {
  if (!isMap(document.root) || !(SECTION in document.root)) return document
  const { [SECTION]: said, ...root } = document.root
  const defaults = said ?? {}
  if (!isMap(defaults)) {
    const problem = problemAt(document, file, [], 'E_TYPE', 'must be a map of options', '')
    return { ...document, root, problems: [...document.problems, problem] }
  }
  const faults = Object.entries(defaults).flatMap(([option, value]) => {
    const fault = groupOptionFault(option, value)
    return fault === undefined ? [] : [{ option, ...fault }]
  })
  const problems = faults.map(({ option, code, message, hint, known }) => {
    return problemAt(
      document,
      file,
      [option],
      code,
      message,
      known ? didYouMean(option, known) : hint,
    )
  })
  const wrong = new Set(faults.map(({ option }) => option))
  const sound = Object.entries(defaults).filter(([option]) => !wrong.has(option))
  return {
    ...document,
    root: { ...root, groups: inherit(root.groups, Object.fromEntries(sound)) },
    values: withPlaces(
      document,
      root.groups,
      sound.map(([option]) => option),
    ),
    problems: [...document.problems, ...problems],
  }
}

function inherit(groups: unknown, defaults: YmlMap): unknown {
  if (!isMap(groups)) return groups
  const pairs = Object.entries(groups).map(([name, group]) => {
    return [name, isMap(group) ? { ...defaults, ...group } : group]
  })
  return Object.fromEntries(pairs)
}

/** What a group inherits stands in the line of the defaults. */
function withPlaces(
  { values }: YmlDocument,
  groups: unknown,
  options: readonly string[],
): ReadonlyMap<string, Location> {
  const places = new Map(values)
  for (const [name, group] of Object.entries(isMap(groups) ? groups : {})) {
    for (const option of options) {
      const inheritedFrom = addressOf([SECTION, option])
      const place = values.get(inheritedFrom)
      if (place === undefined || (isMap(group) && option in group)) continue
      const path = addressOf(['groups', name, option])
      places.set(path, { ...place, path, inheritedFrom })
    }
  }
  return places
}

function problemAt(
  { keys, values }: YmlDocument,
  file: string,
  path: readonly string[],
  code: Problem['code'],
  message: string,
  hint: string,
): Problem {
  const address = addressOf([SECTION, ...path])
  const place = values.get(address) ?? keys.get(address) ?? { line: 1, column: 1, path: address }
  return { severity: 'error', code, file, ...place, path: address, message, hint }
}

function isMap(value: unknown): value is YmlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
