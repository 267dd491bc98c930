/**
 * SENTINEL CONFIG: the settings that concern no group in particular. SET is all or nothing, as
 * since Redis 7.2: every value is checked before any takes effect.
 */
import { unreachable } from '../../base/assert.ts'
import { parseInt64 } from '../../base/decimal.ts'
import { matchesGlob } from '../../base/glob.ts'
import { bulkMap, error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import {
  GLOBAL_SETTING_ROWS,
  type GlobalSetting,
  type GlobalSettings,
  LOG_LEVELS,
} from '../global-settings.ts'
import { save } from '../persistence/save.ts'
import { changeSettings, settingsOf } from '../persistence/settings.ts'
import type { Turn } from '../state.ts'
import { refuseControlCharacters } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

const IN_REPLY_ORDER = [...GLOBAL_SETTING_ROWS].sort(([, a], [, b]) => a.place - b.place)

function shownValue(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

/** Undefined if the text is no valid value. */
function readSetting({ kind }: GlobalSetting, text: string): string | number | boolean | undefined {
  switch (kind) {
    case 'flag':
      return /^(yes|no)$/i.test(text) ? text.toLowerCase() === 'yes' : undefined
    case 'host':
      return isHost(text) ? text : undefined
    case 'port': {
      const port = Number(parseInt64(text) ?? -1)
      return port < 0 || port > 65_535 ? undefined : port
    }
    case 'text':
      return text
    case 'level':
      return LOG_LEVELS.find((level) => level === text.toLowerCase())
    default:
      return unreachable(kind)
  }
}

/** Every hello holds the host between commas. Empty: none. */
function isHost(value: string): boolean {
  return /^[^\s,]*$/.test(value)
}

const WRONG_SHAPE = error(
  'ERR Only SENTINEL CONFIG GET <param> [<param> <param> ...] / ' +
    'SET <param> <value> [<param> <value> ...] are supported.',
)

function configure(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , verb = '', ...words] = argv
  if (verb.toLowerCase() === 'get') return getParameters(turn, words)
  if (verb.toLowerCase() !== 'set' || words.length < 2) return WRONG_SHAPE
  const refusal = refuseControlCharacters(argv, 'SENTINEL CONFIG SET')
  return refusal ?? setParameters(turn, words)
}

/**
 * The settings that match the first pattern, then those that only the second one matches, and so
 * on.
 */
function getParameters(turn: Turn, patterns: readonly string[]): Reply {
  const found = patterns.flatMap((pattern) =>
    IN_REPLY_ORDER.filter(([, { name }]) => matchesGlob(pattern, name, { nocase: true })),
  )
  const settings = settingsOf(turn.state.config)
  return bulkMap([...new Set(found)].map(([key, { name }]) => [name, shownValue(settings[key])]))
}

function setParameters(turn: Turn, words: readonly string[]): Reply {
  const changes = readChanges(words)
  if ('kind' in changes) return changes
  changeSettings(turn, { ...settingsOf(turn.state.config), ...changes })
  save(turn)
  return OK
}

/** All changes, or an error about the first mistake. */
function readChanges(words: readonly string[]): Partial<GlobalSettings> | Reply {
  const seen = new Set<GlobalSetting>()
  let changes: Partial<GlobalSettings> = {}
  for (let at = 0; at < words.length; at += 2) {
    const [typed = '', value] = words.slice(at, at + 2)
    const found = GLOBAL_SETTING_ROWS.find(([, { name }]) => name === typed.toLowerCase())
    if (found === undefined) return invalid(`argument '${typed}' to SENTINEL CONFIG SET`)
    const [key, row] = found
    if (seen.has(row)) return error(`ERR Duplicate argument '${typed}' to SENTINEL CONFIG SET`)
    if (value === undefined) return error(`ERR Missing argument '${typed}' value`)
    const setting = readSetting(row, value)
    if (setting === undefined) return invalid(`value '${value}' to SENTINEL CONFIG SET '${typed}'`)
    seen.add(row)
    changes = { ...changes, [key]: setting }
  }
  return changes
}

function invalid(what: string): Reply {
  return error(`ERR Invalid ${what}`)
}

export const CONFIG = sentinelCommand(
  {
    name: 'config',
    arity: -4,
    summary: 'Show or change settings that hold for all masters.',
    since: '6.2.0',
    help: [
      {
        usage: 'CONFIG SET <param> <value> [<param> <value> ...]',
        explanation: ['Change settings that hold for all masters: all that are named, or none.'],
      },
      { usage: 'CONFIG GET <param> [<param> ...]', explanation: ['Show the settings that match.'] },
    ],
  },
  configure,
)
