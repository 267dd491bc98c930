/**
 * How much a key is used, in one number of 24 bits per key, as Redis keeps it. Under an LRU policy it is
 * the moment of the last use: a clock of seconds that wraps around after 194 days. Under an LFU policy
 * ([maxmemory-policy] ending in `-lfu`) the upper 16 bits are the minute in which the lower 8, a
 * logarithmic count of uses, were brought up to date: the higher it is the more rarely it grows, and it
 * falls with every [lfu-decay-time] that passes. Changing the policy leaves the numbers as they are.
 */
import type { Rng } from '../../base/rng.ts'
import type { Settings } from '../settings/settings.ts'

const CLOCK_LIMIT = 2 ** 24
const MINUTE_LIMIT = 2 ** 16
const MAX_COUNT = 255
/** New keys get a chance before they count as unused. */
const FIRST_COUNT = 5

/** For an entry whose usage is unknown: it counts as just created. */
export const UNKNOWN_USAGE = -1

interface Used {
  usage: number
}

export class Usage {
  #isFrequency = false
  /** Keys are evicted by the time since their last use. */
  #isRecency = false
  #logFactor = 10
  #decayMinutes = 1
  /** Seconds, modulo `CLOCK_LIMIT`. */
  #clock = 0
  readonly #rng: Pick<Rng, 'chance'> | undefined

  /** Without `rng`, counts can only fall. */
  constructor(rng?: Pick<Rng, 'chance'>) {
    this.#rng = rng
  }

  /** Reads [maxmemory-policy] and the [lfu-…] settings, now and whenever they change. */
  follow(settings: Settings): void {
    const read = () => {
      const policy = settings.text('maxmemory-policy')
      this.#isFrequency = policy.endsWith('-lfu')
      this.#isRecency = policy.endsWith('-lru')
      this.#logFactor = settings.int('lfu-log-factor')
      this.#decayMinutes = settings.int('lfu-decay-time')
    }
    for (const name of ['maxmemory-policy', 'lfu-log-factor', 'lfu-decay-time'] as const) {
      settings.onChange(name, read)
    }
    read()
  }

  /** Whether the policy counts uses, instead of the time since the last one. */
  get isFrequency(): boolean {
    return this.#isFrequency
  }

  /** The current time, as seconds of a clock that wraps around. */
  get clock(): number {
    return this.#clock
  }

  /** Wall-clock milliseconds. */
  setTime(nowMs: number): void {
    this.#clock = Math.floor(nowMs / 1000) % CLOCK_LIMIT
    this.#minutes = Math.floor(nowMs / 60_000) % MINUTE_LIMIT
  }

  /** Whole minutes, modulo `MINUTE_LIMIT`. */
  #minutes = 0

  /** A command looked at the key. Every command calls this. */
  touch(entry: Used): void {
    entry.usage = this.#isFrequency ? this.#counted(entry.usage) : this.#clock
  }

  /** The usage of a new key. */
  fresh(): number {
    return this.#isFrequency ? this.#withCount(FIRST_COUNT) : this.#clock
  }

  /** The usage of a key that gets another value. */
  replaced(usage: number): number {
    return this.#isFrequency ? usage : this.#clock
  }

  /**
   * The usage of a key that comes from elsewhere, with what was known there. Only what fits the
   * policy counts.
   */
  restored({ idleSeconds, frequency }: KnownUsage): number {
    if (this.#isFrequency) {
      return frequency === undefined ? this.fresh() : this.#withCount(frequency)
    }
    if (idleSeconds === undefined) return this.#clock
    const usage = this.#clock - (idleSeconds % CLOCK_LIMIT)
    return usage < 0 ? usage + CLOCK_LIMIT : usage
  }

  /** What a snapshot records about a key's usage; undefined if the policy makes no use of it. */
  known(usage: number): KnownUsage | undefined {
    if (this.#isFrequency) return { frequency: this.frequency(usage) }
    return this.#isRecency ? { idleSeconds: this.idleSeconds(usage) } : undefined
  }

  idleSeconds(usage: number): number {
    if (usage === UNKNOWN_USAGE) return 0
    return this.#clock >= usage ? this.#clock - usage : this.#clock + CLOCK_LIMIT - usage
  }

  /** 0 to 255, with the decay up to now taken into account. */
  frequency(usage: number): number {
    if (usage === UNKNOWN_USAGE) return FIRST_COUNT
    const count = usage & MAX_COUNT
    if (this.#decayMinutes === 0) return count
    const since = usage >> 8
    const elapsed =
      this.#minutes >= since ? this.#minutes - since : this.#minutes + MINUTE_LIMIT - since
    return Math.max(0, count - Math.floor(elapsed / this.#decayMinutes))
  }

  #counted(usage: number): number {
    const count = this.frequency(usage)
    return this.#withCount(this.#isCounted(count) ? count + 1 : count)
  }

  #isCounted(count: number): boolean {
    if (count === MAX_COUNT) return false
    const above = Math.max(0, count - FIRST_COUNT)
    return this.#rng?.chance(1, above * this.#logFactor + 1) ?? false
  }

  #withCount(count: number): number {
    return this.#minutes * 256 + count
  }
}

/** What a snapshot or RESTORE says about a key's usage; undefined if nothing. */
export interface KnownUsage {
  readonly idleSeconds?: number | undefined
  readonly frequency?: number | undefined
}
