/**
 * [client-output-buffer-limit] How much unsent output a client of each class may pile up. A client
 * above the hard limit is disconnected at once, a client above the soft limit after that many
 * seconds. 0 is no limit.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { splitArgs } from '../../base/split-args.ts'
import {
  accepted,
  type ParsedSetting,
  parseBytes,
  refused,
  type SettingType,
} from '../settings/setting-types.ts'

export interface OutputLimit {
  readonly hardBytes: number
  readonly softBytes: number
  readonly softSeconds: number
}

export type OutputClass = 'normal' | 'replica' | 'pubsub'

export type OutputLimits = Readonly<Record<OutputClass, OutputLimit>>

const MIB = 1024 * 1024

const INITIAL: OutputLimits = {
  normal: { hardBytes: 0, softBytes: 0, softSeconds: 0 },
  replica: { hardBytes: 256 * MIB, softBytes: 64 * MIB, softSeconds: 60 },
  pubsub: { hardBytes: 32 * MIB, softBytes: 8 * MIB, softSeconds: 60 },
}

export function outputLimits(): SettingType<OutputLimits> {
  return { initial: INITIAL, access: 'mutable', parse, format }
}

/** Classes that the text does not name keep their limits. */
function parse(text: string, old: OutputLimits): ParsedSetting<OutputLimits> {
  const words = splitArgs(text)
  if (words === undefined || words.length % 4 !== 0) {
    return refused('Wrong number of arguments in buffer limit configuration.')
  }
  const limits = { ...old }
  for (let at = 0; at < words.length; at += 4) {
    const name = outputClass(words[at])
    if (name === undefined) {
      return refused('Invalid client class specified in buffer limit configuration.')
    }
    const limit = parseLimit(words.slice(at + 1, at + 4))
    if (limit === undefined)
      return refused('Error in hard, soft or soft_seconds setting in buffer limit configuration.')
    limits[name] = limit
  }
  return accepted(limits)
}

function parseLimit(words: readonly string[]): OutputLimit | undefined {
  const [hard = '', soft = '', seconds = ''] = words
  const hardBytes = parseBytes(hard)
  const softBytes = parseBytes(soft)
  const softSeconds = Number(parseInt64(seconds) ?? -1)
  if (hardBytes === undefined || softBytes === undefined || softSeconds < 0) return undefined
  return { hardBytes, softBytes, softSeconds }
}

/** Understands the class names of either vocabulary; undefined: there is no such class. */
function outputClass(word: string | undefined): OutputClass | undefined {
  switch (word?.toLowerCase()) {
    case 'normal':
      return 'normal'
    case 'slave':
    case 'replica':
      return 'replica'
    case 'pubsub':
      return 'pubsub'
    default:
      return undefined
  }
}

function format(limits: OutputLimits): string {
  const shown = (name: string, limit: OutputLimit) =>
    `${name} ${limit.hardBytes} ${limit.softBytes} ${limit.softSeconds}`
  return [
    shown('normal', limits.normal),
    shown('slave', limits.replica),
    shown('pubsub', limits.pubsub),
  ].join(' ')
}
