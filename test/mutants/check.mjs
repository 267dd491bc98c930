import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
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
        const own = edits.filter((edit) => edit.file === file)
        const text = applyEdits(source, own, name)
        return faultsIn(text).map((fault) => `mutant ${name}: ${file} cannot be run: ${fault}`)
      } catch (error) {
        return [error.message]
      }
    })
  }
}

/** A fault that no program could start with is found by nothing. */
function faultsIn(text) {
  try {
    parseAst(text)
    return []
  } catch (error) {
    return [error.message]
  }
}
