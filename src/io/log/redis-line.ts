/**
 * Log lines in the form of redis-server and redis-sentinel, for people who grep and programs that parse:
 *
 *     12345:X 23 Nov 2026 03:05:16.123 # +sdown master mymaster 127.0.0.1 6379
 *
 * Process id, role, local time in English, a character for the level, and the message as it is. Valkey can
 * write the same facts as fields (`log-format logfmt`).
 */
import { oneLine } from '../../base/one-line.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { LogLevel } from '../../core/log-level.ts'

/** A Sentinel, a master, a replica. Redis writes `C` for a forked child, and we fork none. */
export type RoleLetter = 'X' | 'M' | 'S'

const LEVEL_CHARS: Readonly<Record<LogLevel, string>> = {
  debug: '.',
  verbose: '-',
  notice: '*',
  warning: '#',
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** With its newline. */
export function redisLine(
  pid: number,
  role: RoleLetter,
  now: Date,
  level: LogLevel,
  text: string,
): string {
  return `${pid}:${role} ${redisTime(now)} ${LEVEL_CHARS[level]} ${oneLine(utf8Text(text))}\n`
}

/** How a line of the log is written, with its newline. */
export type LineForm = typeof redisLine

const ROLE_WORDS: Readonly<Record<RoleLetter, string>> = {
  X: 'sentinel',
  M: 'primary',
  S: 'replica',
}

const LEVEL_WORDS: Readonly<Record<LogLevel, string>> = {
  debug: 'debug',
  verbose: 'info',
  notice: 'notice',
  warning: 'warning',
}

/** With its newline. A double quote in the message becomes a single one, so that it ends no field. */
export function logfmtLine(
  pid: number,
  role: RoleLetter,
  now: Date,
  level: LogLevel,
  text: string,
): string {
  const message = oneLine(utf8Text(text)).replaceAll('"', "'")
  const who = `pid=${pid} role=${ROLE_WORDS[role]}`
  return `${who} timestamp="${redisTime(now)}" level=${LEVEL_WORDS[level]} message="${message}"\n`
}

function redisTime(now: Date): string {
  const clock = [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => padded(part, 2))
  const day = `${padded(now.getDate(), 2)} ${MONTHS[now.getMonth()]} ${now.getFullYear()}`
  return `${day} ${clock.join(':')}.${padded(now.getMilliseconds(), 3)}`
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
