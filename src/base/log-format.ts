/**
 * [log-format] The form of log lines. `json`: an object a line. `pretty`: for people, in colour on a
 * terminal. `redis`: as redis-server and redis-sentinel write them. `logfmt`: the same facts as Valkey writes
 * them in this form. `auto`: `pretty` on a terminal, otherwise `json`.
 */
export const LOG_FORMATS = ['auto', 'json', 'pretty', 'redis', 'logfmt'] as const

export type LogFormat = (typeof LOG_FORMATS)[number]

/** Valkey has a setting of this name, and calls Redis' form `legacy`. */
export const LOG_FORMAT_WORDS = [...LOG_FORMATS, 'legacy'] as const

/** The format that a word of a configuration means; undefined for any other word. */
export function logFormatOf(word: string): LogFormat | undefined {
  const known = LOG_FORMAT_WORDS.find((one) => one === word)
  return known === 'legacy' ? 'redis' : known
}
