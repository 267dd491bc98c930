/** The end of every benchmark: the results on standard output, and in the documentation. */
import { writeResults } from './document.mjs'
import { settingLine } from './machine.mjs'

/**
 * Shows `text` or, with `json`, every sample. The documentation takes complete results only: a table
 * without the peer would replace one that says something.
 */
export function finish({ name, setting, rounds, samples, text, missing, json, docs }) {
  const where = `${settingLine(setting)} ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`
  console.log(json ? JSON.stringify({ setting, rounds, samples }) : `${text}\n\n${where}`)
  if (missing.length > 0) {
    console.error(`not installed, so not measured: ${missing.join(', ')}; docs left as they are`)
  } else if (docs) {
    writeResults(name, `${where}\n\n${text}`)
  }
}
