/**
 * The directives of one node: their current values, as text for CONFIG and the configuration file,
 * and typed for the code. Names are those of redis.conf; either name of a pair (slave/replica) is
 * understood.
 */

import type { CommandRename } from '../../base/command-renames.ts'
import { matchesGlob } from '../../base/glob.ts'
import { isLocalPeer } from '../../base/ip.ts'
import type { OutputClass, OutputLimit, OutputLimits } from '../sessions/output-limits.ts'
import { OBSOLETE_DIRECTIVES } from './neighbour-settings.ts'
import {
  FLAG_SETTINGS,
  INT_SETTINGS,
  LIMIT_SETTINGS,
  SETTING_ALIASES,
  TEXT_SETTINGS,
} from './setting-table.ts'
import type { SettingAccess, SettingType } from './setting-types.ts'

export type IntSetting = keyof typeof INT_SETTINGS
export type FlagSetting = keyof typeof FLAG_SETTINGS
export type TextSetting = keyof typeof TEXT_SETTINGS
export type SettingName = IntSetting | FlagSetting | TextSetting | keyof typeof LIMIT_SETTINGS

type SettingValue = number | boolean | string | OutputLimits

/** Why CONFIG SET changed nothing. */
export type ChangeProblem =
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly reason: string }

type Pairs = readonly (readonly [name: string, text: string])[]

interface Guard {
  readonly names: readonly SettingName[]
  readonly judge: () => string | undefined
}

const TYPES: ReadonlyMap<string, SettingType<SettingValue>> = new Map(
  [INT_SETTINGS, FLAG_SETTINGS, TEXT_SETTINGS, LIMIT_SETTINGS].flatMap((group) =>
    Object.entries<SettingType<SettingValue>>(group),
  ),
)

/** For tests: shown only to who asks for them by name, as in Redis. */
const HIDDEN: ReadonlySet<string> = new Set([
  'key-load-delay',
  'loading-process-events-interval-bytes',
  'rdb-key-save-delay',
  'use-exit-on-panic',
  'watchdog-period',
])

const WRONG_NUMBER = 'wrong number of arguments'

export class Settings {
  /** [rename-command] Not shown by CONFIG, and never changed while the node runs. */
  renames: readonly CommandRename[] = []
  readonly #values = new Map<string, SettingValue>()
  /** The values of the user's file (or the defaults), as text. */
  #filed = new Map<string, string>()
  /** Directives that already had a line in the file. */
  readonly #loaded = new Set<string>()
  readonly #hooks = new Map<string, (() => void)[]>()
  readonly #guards: Guard[] = []

  constructor() {
    for (const [name, type] of TYPES) this.#values.set(name, type.initial)
    this.markFiled()
  }

  /** In the unit of the directive: seconds, bytes or a plain count. */
  int(name: IntSetting): number {
    return this.#values.get(name) as number
  }

  flag(name: FlagSetting): boolean {
    return this.#values.get(name) as boolean
  }

  text(name: TextSetting): string {
    return this.#values.get(name) as string
  }

  outputLimit(name: OutputClass): OutputLimit {
    return (this.#values.get('client-output-buffer-limit') as OutputLimits)[name]
  }

  /** Whether there is such a directive; case does not matter. */
  knows(name: string): boolean {
    return typeOf(name) !== undefined
  }

  access(name: string): SettingAccess | undefined {
    return typeOf(name)?.access
  }

  /** The value as CONFIG GET shows it. */
  get(name: string): string | undefined {
    const value = this.#values.get(canonical(name))
    return value === undefined ? undefined : typeOf(name)?.format(value)
  }

  /**
   * Sets one directive from text, even one that CONFIG SET may not change. Returns the reason why
   * the text was refused, in Redis' words; undefined: the directive is set.
   */
  set(name: string, text: string): string | undefined {
    const problem = this.#assign(name, text)
    if (problem === undefined) this.#announce(canonical(name))
    return problem
  }

  /** Whether a line of the file or of the command line names it. */
  isGiven(name: SettingName): boolean {
    return this.#loaded.has(name)
  }

  /** What the lines say that were loaded so far, by directive. */
  given(): ReadonlyMap<string, string> {
    return new Map([...this.#loaded].map((name) => [name, this.get(name) ?? '']))
  }

  /** One line of the configuration file or one command-line option. Several `save` lines add up. */
  load(name: string, args: readonly string[]): string | undefined {
    const key = canonical(name)
    // No word is a list of none, which some directives refuse in words of their own.
    if (args.length === 0 && typeOf(key)?.maxWords !== Infinity) return WRONG_NUMBER
    // Joined, a comment behind a password or a file name would become a part of it.
    if (args.length > (typeOf(key)?.maxWords ?? 1)) return WRONG_NUMBER
    // A bare `save` takes away the points that hold by default, and none that a line has named.
    if (args.length === 0 && key === 'save' && this.#loaded.has(key)) return undefined
    const given = args.join(' ')
    // The address that a script has put there is empty: the node would start as a master.
    if (key === 'replicaof' && given.trim() === '') return WRONG_NUMBER
    const isFurtherSave = key === 'save' && this.#loaded.has(key) && given !== ''
    this.#loaded.add(key)
    return this.set(key, isFurtherSave ? `${this.text('save')} ${given}`.trim() : given)
  }

  /**
   * Whether a client at `host` may do what the directive guards: `local` lets only those in that come from
   * this machine by its loopback address or a Unix socket.
   */
  permits(name: 'enable-debug-command' | 'enable-protected-configs', host: string): boolean {
    const allowed = this.text(name)
    return allowed === 'yes' || (allowed === 'local' && isLocalPeer(host))
  }

  /**
   * CONFIG SET of a client at `host`: all or nothing. A directive may come under two of its names; the last
   * one counts.
   */
  change(pairs: Pairs, host: string): ChangeProblem | undefined {
    const mayProtected = this.permits('enable-protected-configs', host)
    const seen = new Set<string>()
    for (const [name] of pairs) {
      const problem = unchangeable(name, seen, mayProtected)
      if (problem !== undefined) return problem
      seen.add(name.toLowerCase())
    }
    const before = pairs.map(
      ([name]) => [canonical(name), this.#values.get(canonical(name))] as const,
    )
    const problem = this.#assignAll(pairs) ?? this.#judge(pairs)
    if (problem === undefined) {
      for (const key of new Set(before.map(([name]) => name))) this.#announce(key)
    } else {
      for (const [key, value] of before) this.#values.set(key, value as SettingValue)
    }
    return problem
  }

  /**
   * What CONFIG GET answers to a pattern: a plain name is answered under the name in the request.
   */
  match(pattern: string): [name: string, text: string][] {
    if (!/[[*?]/.test(pattern)) {
      const value = this.get(pattern)
      return value === undefined ? [] : [[pattern, value]]
    }
    return [...TYPES.keys(), ...SETTING_ALIASES.keys()]
      .filter((name) => !HIDDEN.has(name) && matchesGlob(pattern, name, { nocase: true }))
      .map((name) => [name, this.get(name) ?? ''])
  }

  /** Notes the current values as those of the user's file. */
  markFiled(): void {
    this.#filed = this.#texts()
  }

  /** The directives that differ from the user's file. */
  differing(): Map<string, string> {
    const texts = this.#texts()
    for (const [name, text] of texts) if (this.#filed.get(name) === text) texts.delete(name)
    return texts
  }

  /** Calls `hook` after the directive was set, even to the value it had. */
  onChange(name: SettingName, hook: () => void): void {
    const hooks = this.#hooks.get(name)
    if (hooks === undefined) this.#hooks.set(name, [hook])
    else hooks.push(hook)
  }

  /**
   * Calls `judge` before CONFIG SET changes one of these directives: `judge` can read the new
   * values, and a reason takes them back. For directives whose values only the outside world can
   * check.
   */
  guard(names: readonly SettingName[], judge: () => string | undefined): void {
    this.#guards.push({ names, judge })
  }

  #assignAll(pairs: Pairs): ChangeProblem | undefined {
    for (const [name, text] of pairs) {
      const reason = this.#assign(name, text)
      if (reason !== undefined) return { kind: 'refused', name, reason }
    }
    return undefined
  }

  #judge(pairs: Pairs): ChangeProblem | undefined {
    for (const { names, judge } of this.#guards) {
      const pair = pairs.find(([name]) => (names as readonly string[]).includes(canonical(name)))
      const reason = pair === undefined ? undefined : judge()
      if (pair !== undefined && reason !== undefined)
        return { kind: 'refused', name: pair[0], reason }
    }
    return undefined
  }

  #assign(name: string, text: string): string | undefined {
    const key = canonical(name)
    const type = TYPES.get(key)
    if (type === undefined) return `unknown directive '${name}'`
    const parsed = type.parse(text, this.#values.get(key) as SettingValue)
    if (!parsed.ok) return parsed.reason
    this.#values.set(key, parsed.value)
    return undefined
  }

  #announce(key: string): void {
    for (const hook of this.#hooks.get(key) ?? []) hook()
  }

  #texts(): Map<string, string> {
    return new Map(
      [...TYPES].map(([name, type]) => [name, type.format(this.#values.get(name) as SettingValue)]),
    )
  }
}

/**
 * Undefined: the node uses the directive, or does not know it. Otherwise what does not happen, see
 * setting-types.ts.
 */
export function ignoredBecause(name: string): string | undefined {
  return isObsolete(name) ? 'only older versions know it' : typeOf(name)?.ignored
}

/** Whether a file may still have the directive, although it sets nothing. */
export function isObsolete(name: string): boolean {
  return OBSOLETE_DIRECTIVES.includes(name.toLowerCase())
}

/** Whether Redis or Valkey has such a directive, in any version. */
export function isOfRedis(name: string): boolean {
  const type = typeOf(name)
  return isObsolete(name) || (type !== undefined && type.isOurs !== true)
}

/** `seen`: the names that stand before it in the same CONFIG SET. */
function unchangeable(
  name: string,
  seen: ReadonlySet<string>,
  mayProtected: boolean,
): ChangeProblem | undefined {
  const type = typeOf(name)
  if (type === undefined) return { kind: 'unknown', name }
  const refused = (reason: string): ChangeProblem => ({ kind: 'refused', name, reason })
  if (type.access === 'immutable') return refused("can't set immutable config")
  if (type.access === 'protected' && !mayProtected) return refused("can't set protected config")
  return seen.has(name.toLowerCase()) ? refused('duplicate parameter') : undefined
}

export function canonical(name: string): string {
  const lower = name.toLowerCase()
  return SETTING_ALIASES.get(lower) ?? lower
}

function typeOf(name: string): SettingType<SettingValue> | undefined {
  return TYPES.get(canonical(name))
}
