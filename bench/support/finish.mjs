/** The end of every benchmark: puts the results on standard output, and into the documentation. */
import { writeResults } from './document.mjs'
import { settingLine } from './machine.mjs'

/**
 * Shows `text` or, with `json`, every sample. Only complete results go into the documentation: a
 * table without the peer would replace a useful one. `leftOut` says what is incomplete.
 */
export function finish({ name, setting, rounds, samples, text, leftOut, json, docs }) {
  const where = whereAndWhen(setting, rounds)
  console.log(json ? JSON.stringify({ setting, rounds, samples }) : `${text}\n\n${where}`)
  if (mayWrite({ leftOut, docs })) writeResults(name, `${where}\n\n${text}`)
}

/** One sentence below, or above, a table. */
export function whereAndWhen(setting, rounds) {
  return `${settingLine(setting)} ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`
}

/** Whether the page is to be written; says why not, unless that was requested. */
export function mayWrite({ leftOut, docs }) {
  if (docs && leftOut.length > 0) {
    console.error(`docs/benchmarks.md is left as it is: ${leftOut.join('; ')}`)
  }
  return docs && leftOut.length === 0
}
