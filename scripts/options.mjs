/**
 * The options of a script for those who work on Vedette. What the comment at its head says is also what
 * `--help` prints, so that the two cannot disagree.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** Ends the process with 0 after `--help`, with 2 if an option is unknown or lacks its value. */
export function scriptOptions(script, options) {
  const { values, problem } = parsed({ ...options, help: { type: 'boolean', short: 'h' } })
  if (problem !== undefined) {
    console.error(`${problem}\n--help says which options there are.`)
    process.exit(2)
  }
  if (!values.help) return values
  console.log(headOf(readFileSync(new URL(script), 'utf8')))
  process.exit(0)
}

function parsed(options) {
  try {
    return parseArgs({ options })
  } catch (error) {
    return { problem: error.message }
  }
}

/** The first comment of a file, without its asterisks. */
function headOf(text) {
  const [, head = ''] = /\/\*\*\n([\s\S]*?)\n \*\//.exec(text) ?? []
  return head.replace(/^ \* ?/gm, '')
}
