/** INFO, read by field, and what a program calls itself there. */
import { infoFields } from '../../base/info-fields.ts'
import { printable } from './asking.ts'

/** The value of each field; it can be shown on a terminal. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  const fields = [...infoFields(text)]
  return new Map(fields.map(([name, value]) => [name, printable(value)]))
}

/** Programs that follow Redis tell a `redis_version`, too. */
const PROGRAMS = ['vedette', 'valkey', 'redis'] as const

/** `vedette 0.1.0`, `valkey 8.0.1`, `redis 7.0.15`; undefined: it tells none, as where the user may not ask INFO. */
export function programIn(info: ReadonlyMap<string, string>): string | undefined {
  const name = isEarlierVedette(info)
    ? 'vedette'
    : PROGRAMS.find((one) => info.has(`${one}_version`))
  return name === undefined
    ? undefined
    : `${name} ${(info.get(`${name}_version`) ?? '?').slice(0, 40)}`
}

/** Those that tell no version of their own. They stand beside the present ones while a fleet is upgraded. */
function isEarlierVedette(info: ReadonlyMap<string, string>): boolean {
  return info.has('vedette') || info.get('server_name') === 'vedette'
}

/** Whether a program that `programIn` has named is one of ours. */
export function isOurs(program: string): boolean {
  return program.startsWith('vedette ')
}

/**
 * One text for each process, under whatever address it was found; undefined: it does not tell enough. The id of a
 * Sentinel outlives it and may be copied. Its run_id is another at each start, but for earlier Vedettes, which gave
 * their id as such.
 */
export function processOf(info: ReadonlyMap<string, string>): string | undefined {
  const words = ['run_id', 'process_id', 'tcp_port'].map((name) => info.get(name))
  return words.includes(undefined) ? undefined : words.join(' ')
}
