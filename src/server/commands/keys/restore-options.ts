/** The options of RESTORE: `REPLACE ABSTTL IDLETIME 10 FREQ 5`. */
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import { BAD_FREQUENCY, BAD_IDLE_TIME, NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'

export interface RestoreOptions {
  replaces: boolean
  /** The time to live is a moment. */
  isAbsolute: boolean
  idleSeconds: number | undefined
  frequency: number | undefined
}

export function parseRestoreOptions(argv: readonly string[]): RestoreOptions | Reply {
  const options: RestoreOptions = {
    replaces: false,
    isAbsolute: false,
    idleSeconds: undefined,
    frequency: undefined,
  }
  for (let at = 4; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'REPLACE') options.replaces = true
    else if (word === 'ABSTTL') options.isAbsolute = true
    else {
      const problem = setUsage(options, word, argv[++at])
      if (problem !== undefined) return problem
    }
  }
  return options
}

/** One of the two, whichever the policy here will make use of. */
function setUsage(
  options: RestoreOptions,
  word: string,
  text: string | undefined,
): Reply | undefined {
  const isIdle = word === 'IDLETIME' && options.frequency === undefined
  const isFrequency = word === 'FREQ' && options.idleSeconds === undefined
  if (text === undefined || !(isIdle || isFrequency)) return SYNTAX_ERROR
  const number = parseInteger(text)
  if (number === undefined) return NOT_AN_INTEGER
  if (isIdle) {
    if (number < 0) return BAD_IDLE_TIME
    options.idleSeconds = number
  } else {
    if (number < 0 || number > 255) return BAD_FREQUENCY
    options.frequency = number
  }
  return undefined
}
