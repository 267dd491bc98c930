/** The part of the hook that sees each file as it is loaded. */
import { applyEdits, editsFor, mutantNamed } from './edit.mjs'

let mutant

export function initialize({ name }) {
  mutant = mutantNamed(name)
}

export async function load(url, context, next) {
  const loaded = await next(url, context)
  const edits = editsFor(mutant, url)
  if (edits.length === 0) return loaded
  const source = applyEdits(Buffer.from(loaded.source).toString('utf8'), edits, mutant.name)
  return { ...loaded, source }
}
