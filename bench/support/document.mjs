/** Puts results into a page (docs/benchmarks.md), between the markers of one benchmark; the prose stays. */
import { readFileSync, writeFileSync } from 'node:fs'
import { pathOf } from '../../scripts/paths.mjs'

const DOCUMENT = 'docs/benchmarks.md'

/** Whether the page has a place for this benchmark. */
export function hasResults(name, file = DOCUMENT) {
  return readFileSync(pathOf(file), 'utf8').includes(beginOf(name))
}

/** Throws if the markers are missing: then there is no place for the results. */
export function writeResults(name, text, file = DOCUMENT) {
  const path = pathOf(file)
  const begin = beginOf(name)
  const end = `<!-- ${name}: end -->`
  const document = readFileSync(path, 'utf8')
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from < 0 || to < from) throw new Error(`${file} has no "${begin}" … "${end}"`)
  const head = document.slice(0, from + begin.length)
  writeFileSync(path, `${head}\n\n${text}\n\n${document.slice(to)}`)
}

function beginOf(name) {
  return `<!-- ${name}: begin -->`
}
