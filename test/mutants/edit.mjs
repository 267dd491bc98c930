/** Changing compiled text as a mutant says, and refusing when the text is not what it expects. */
import { MUTANTS } from './list.mjs'

export function mutantNamed(name) {
  const mutant = MUTANTS.find((one) => one.name === name)
  if (mutant === undefined) throw new Error(`no mutant is called ${name}`)
  return mutant
}

/** The edits of a mutant for the file at a URL. */
export function editsFor(mutant, url) {
  return mutant.edits.filter(({ file }) => url.endsWith(`/dist/${file}`))
}

export function applyEdits(source, edits, name) {
  let text = source
  for (const { file, find, replace } of edits) {
    const count = text.split(find).length - 1
    if (count !== 1) throw new Error(`mutant ${name}: stands ${count} times in ${file}: ${find}`)
    text = text.replace(find, () => replace)
  }
  return text
}
