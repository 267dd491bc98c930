import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyEdits } from './edit.mjs'
import { MUTANTS } from './list.mjs'

/** What is wrong with the list, against the compiled files of a folder; empty: nothing. */
export function problemsIn(dist) {
  const names = MUTANTS.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  return [...twice.map((name) => `two mutants are called ${name}`), ...MUTANTS.flatMap(problemsOf)]

  function problemsOf({ name, edits }) {
    const files = new Set(edits.map(({ file }) => file))
    return [...files].flatMap((file) => {
      try {
        const source = readFileSync(join(dist, file), 'utf8')
        applyEdits(
          source,
          edits.filter((edit) => edit.file === file),
          name,
        )
        return []
      } catch (error) {
        return [error.message]
      }
    })
  }
}
