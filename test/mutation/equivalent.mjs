/**
 * Changes that nobody can notice, each with the reason (equivalent.json). A place is named by its file, the
 * text of its line, what is replaced by what, and its number where several are alike; so an entry does not
 * outlive the code it speaks of.
 */
import { readFileSync } from 'node:fs'

const LIST = JSON.parse(readFileSync(new URL('./equivalent.json', import.meta.url), 'utf8'))

/** Undefined: it is not known to be equivalent. */
export function reasonOf(mutation, list = LIST) {
  return list.find((entry) => isMeant(entry, mutation))?.reason
}

/** Entries that name no place, or more than one. */
export function problemsIn(candidates, list = LIST) {
  return list.flatMap((entry) => {
    const { length } = candidates.filter((one) => isMeant(entry, one))
    const { file, code, was, replace } = entry
    const place = `${file}: ${code}: ${was} → ${replace}`
    if (length === 0) return [`nothing like that can be changed any more: ${place}`]
    return length === 1 ? [] : [`${length} places are alike, say which with nth: ${place}`]
  })
}

function isMeant({ file, code, was, replace, nth }, mutation) {
  return (
    file === mutation.file &&
    code === mutation.code &&
    was === mutation.was &&
    replace === mutation.replace &&
    (nth === undefined || nth === mutation.nth)
  )
}
