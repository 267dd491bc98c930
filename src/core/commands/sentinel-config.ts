/**
 * SENTINEL CONFIG: the settings that concern no group in particular. SET is all or nothing, as since
 * Redis 7.2: every value is looked at before any is put in force.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { matchesGlob } from '../../base/glob.ts'
import { bulkMap, error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { GlobalSettings } from '../config.ts'
import { save } from '../memory/save.ts'
import { changeSettings, settingsOf } from '../memory/settings.ts'
import type { Turn } from '../state.ts'
import { refuseControlCharacters } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

interface Parameter {
  readonly name: string
  read(settings: GlobalSettings): string
  /** Undefined when the value is not a valid one. */
  change(value: string): Partial<GlobalSettings> | undefined
}

/** In the order of the reply. */
const PARAMETERS: readonly Parameter[] = [
  yesNo('resolve-hostnames', 'resolveHostnames'),
  yesNo('announce-hostnames', 'announceHostnames'),
  text('announce-ip', 'announceIp', isHost),
  {
    name: 'announce-port',
    read: ({ announcePort }) => String(announcePort),
    change: (value) => {
      const port = Number(parseInt64(value) ?? -1)
      return port < 0 || port > 65_535 ? undefined : { announcePort: port }
    },
  },
  text('sentinel-user', 'sentinelUser'),
  text('sentinel-pass', 'sentinelPass'),
  {
    name: 'loglevel',
    read: ({ logLevel }) => logLevel,
    change: (value) => {
      const logLevel = LOG_LEVELS.find((level) => level === value.toLowerCase())
      return logLevel && { logLevel }
    },
  },
]

const LOG_LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing'] as const

function yesNo(name: string, key: 'resolveHostnames' | 'announceHostnames'): Parameter {
  return {
    name,
    read: (settings) => (settings[key] ? 'yes' : 'no'),
    change: (value) =>
      /^(yes|no)$/i.test(value) ? { [key]: value.toLowerCase() === 'yes' } : undefined,
  }
}

function text(
  name: string,
  key: 'announceIp' | 'sentinelUser' | 'sentinelPass',
  isValid: (value: string) => boolean = () => true,
): Parameter {
  return {
    name,
    read: (settings) => settings[key],
    change: (value) => (isValid(value) ? { [key]: value } : undefined),
  }
}

/** Every hello holds it between commas. Empty: none. */
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

/** What matches the first pattern, then what only the second one matches, and so on. */
function getParameters(turn: Turn, patterns: readonly string[]): Reply {
  const found = patterns.flatMap((pattern) =>
    PARAMETERS.filter(({ name }) => matchesGlob(pattern, name, { nocase: true })),
  )
  const settings = settingsOf(turn.state.config)
  return bulkMap([...new Set(found)].map(({ name, read }) => [name, read(settings)] as const))
}

function setParameters(turn: Turn, words: readonly string[]): Reply {
  const changes = readChanges(words)
  if ('kind' in changes) return changes
  changeSettings(turn, { ...settingsOf(turn.state.config), ...changes })
  save(turn)
  return OK
}

/** All changes, or the first mistake. */
function readChanges(words: readonly string[]): Partial<GlobalSettings> | Reply {
  const seen = new Set<Parameter>()
  let changes: Partial<GlobalSettings> = {}
  for (let at = 0; at < words.length; at += 2) {
    const [typed = '', value] = words.slice(at, at + 2)
    const parameter = PARAMETERS.find(({ name }) => name === typed.toLowerCase())
    if (parameter === undefined) return invalid(`argument '${typed}' to SENTINEL CONFIG SET`)
    if (seen.has(parameter))
      return error(`ERR Duplicate argument '${typed}' to SENTINEL CONFIG SET`)
    if (value === undefined) return error(`ERR Missing argument '${typed}' value`)
    const change = parameter.change(value)
    if (change === undefined) return invalid(`value '${value}' to SENTINEL CONFIG SET '${typed}'`)
    seen.add(parameter)
    changes = { ...changes, ...change }
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
