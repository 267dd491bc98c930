/** The payload of FUNCTION DUMP: RDB records of libraries, and the footer of every DUMP payload. */
import { FOOTER_BYTES, withFooter } from './dump-payload.ts'
import { OPCODE } from './rdb-format.ts'
import { RdbInput } from './rdb-input.ts'
import { rdbFunction } from './rdb-writer.ts'

/** Functions came with this version of the format. */
const VERSION = 10

export function functionPayload(sources: Iterable<string>): string {
  return withFooter([...sources].map(rdbFunction).join(''), VERSION)
}

export type PayloadFault = 'not a function' | 'damaged'

/** The sources of a payload whose footer has been checked. */
export function sourcesOfPayload(payload: string): readonly string[] | PayloadFault {
  const input = new RdbInput()
  const end = payload.length - FOOTER_BYTES
  input.push(payload.slice(0, end))
  const sources: string[] = []
  while (input.offset < end) {
    if (input.takeByte() !== OPCODE.function) return 'not a function'
    const step = input.string().next()
    if (step.done !== true) return 'damaged'
    sources.push(step.value)
  }
  return sources
}
