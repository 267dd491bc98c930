/**
 * What a liar can be told to say, in the words of scenario files. Epochs are words too: the harmful
 * ones are beyond what our numbers can hold, and others depend on what the liar has heard by then.
 */
import { unreachable } from '../base/assert.ts'

/**
 * `made-up`: the liar's own id; `new`: another one each time; the name of a Sentinel: that
 * Sentinel's id; any other text is used as it is.
 */
export type LiarId = string
/**
 * `self`: where the liar listens; `new`: another port of its own each time; `nowhere`: an address
 * no host has; else the name of a process.
 */
export type LiarPlace = string
/** `current` and `config`: what was heard last; `2^48`; `-1`; each also with `+ 3` or `- 3`. */
export type EpochWord = string

/** How many times the lie is told, and at which interval. */
interface Repeated {
  readonly times: number
  readonly everyMs: number
}

export type Lie = SpokenLie | AnsweredLie

/** What the liar says about itself, to the processes it is told to say it to. */
export type SpokenLie = Repeated &
  (
    | {
        readonly kind: 'hello'
        readonly id: LiarId
        readonly at: LiarPlace
        readonly epoch: EpochWord
        readonly group: string
        /** Undefined for the true one. */
        readonly master: LiarPlace | undefined
        readonly configEpoch: EpochWord
      }
    /**
     * `vote`: IS-MASTER-DOWN-BY-ADDR with a candidate; `confer`: SENTINEL CONFER. About the true
     * master of the group.
     */
    | {
        readonly kind: 'vote' | 'confer'
        readonly id: LiarId
        readonly epoch: EpochWord
        readonly group: string
      }
    /** The liar attaches itself to a master as a replica, which the master then tells every Sentinel. */
    | { readonly kind: 'replica'; readonly at: LiarPlace }
  )

/**
 * How the liar answers, from now on, every process that connects to one of its places. Before this
 * lie, it listens nowhere.
 */
export interface AnsweredLie {
  readonly kind: 'answer'
  /** Whether it says that the master is down and its connections are refused. */
  readonly isDown: boolean
  /**
   * The candidate that the liar says it voted for. It never names the Sentinel that asks: with that
   * it could get two leaders elected.
   */
  readonly leader: 'nobody' | 'made-up'
  /** `asked` is allowed as well: the epoch of the question. */
  readonly epoch: EpochWord
  /** How many replicas the liar claims to have, where it is taken for a master. */
  readonly replicas: number
}

/** What the liar has heard of the cluster. */
export interface Hearsay {
  readonly current: bigint
  readonly config: bigint
  readonly asked?: bigint
}

const EPOCH = /^(current|config|asked|2\^\d{1,3}|-?\d{1,40})(?:\s*([+-])\s*(\d{1,40}))?$/

export function isEpochWord(word: string): boolean {
  return EPOCH.test(word)
}

/** The number that a word stands for. */
export function epochOf(word: EpochWord, heard: Hearsay): bigint {
  const [, base = '0', sign, offset = '0'] = EPOCH.exec(word) ?? []
  const by = sign === '-' ? -BigInt(offset) : BigInt(offset)
  return baseOf(base, heard) + by
}

function baseOf(base: string, { current, config, asked = 0n }: Hearsay): bigint {
  if (base === 'current') return current
  if (base === 'config') return config
  if (base === 'asked') return asked
  return base.startsWith('2^') ? 2n ** BigInt(base.slice(2)) : BigInt(base)
}

/** How long the lie is repeated, in milliseconds; a lie that lasts has no end of its own. */
export function durationOf(lie: SpokenLie): number {
  return (lie.times - 1) * lie.everyMs
}

export function describeLie(lie: Lie): string {
  switch (lie.kind) {
    case 'hello': {
      const { id, at, epoch, group, master, configEpoch } = lie
      const named = master === undefined ? '' : `, master ${master}`
      return `hello of ${id} at ${at}, epoch ${epoch}, ${group}${named} in config epoch ${configEpoch}${oftenText(lie)}`
    }
    case 'vote':
      return `asks for a vote for ${lie.id} in epoch ${lie.epoch} of ${lie.group}${oftenText(lie)}`
    case 'confer':
      return `confers as ${lie.id} about epoch ${lie.epoch} of ${lie.group}${oftenText(lie)}`
    case 'replica':
      return `is a replica at ${lie.at}${oftenText(lie)}`
    case 'answer': {
      const { isDown, leader, epoch, replicas } = lie
      const many = replicas === 0 ? '' : `, ${replicas} replicas`
      return `answers ${isDown ? 'down' : 'not down'}, vote for ${leader} in epoch ${epoch}${many}`
    }
    default:
      return unreachable(lie)
  }
}

function oftenText({ times, everyMs }: Repeated): string {
  return times === 1 ? '' : `, ${times} times every ${everyMs} ms`
}
