/** The end of every benchmark: the results on standard output, and in the documentation. */
import { writeResults } from './document.mjs'
import { settingLine } from './machine.mjs'

/**
 * Shows `text` or, with `json`, every sample. The documentation takes complete results only: a table
 * without the peer would replace one that says something. `leftOut` says what is not complete.
 */
export function finish({ name, setting, rounds, samples, text, leftOut, json, docs }) {
  const where = whereAndWhen(setting, rounds)
  console.log(json ? JSON.stringify({ setting, rounds, samples }) : `${text}\n\n${where}`)
  if (mayWrite({ leftOut, docs })) writeResults(name, `${where}\n\n${text}`)
}

/** One sentence under, or over, a table. */
export function whereAndWhen(setting, rounds) {
  return `${settingLine(setting)} ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`
}

/** Whether the page is to be written; says why not, if that was not asked for. */
export function mayWrite({ leftOut, docs }) {
  if (docs && leftOut.length > 0) {
    console.error(`docs/benchmarks.md is left as it is: ${leftOut.join('; ')}`)
  }
  return docs && leftOut.length === 0
}
