/**
 * Keeps what a resynchronisation throws away: the writes that this node has and its new master never had.
 * They are written to a ledger file before the data are replaced. A disk that cannot take them is no
 * reason to stay out of sync for good: then they are lost as in Redis, and the log says so.
 */
import type { Moment } from '../../base/clock.ts'
import type { Jobs } from '../persistence/jobs.ts'
import type { NodePort } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import {
  type Kept,
  ledgerName,
  removeOldLedgers,
  temporaryName,
  writeLedger,
} from './ledger-file.ts'
import type { LedgerFacts } from './ledger-format.ts'
import { type KeysOf, LostCommands, type StreamPart } from './lost-commands.ts'

export interface LedgerHost {
  readonly port: NodePort
  readonly settings: Settings
  readonly now: Moment
}

/** What is lost, except the time at which that is written down. */
export interface LedgerLoss {
  readonly facts: Omit<LedgerFacts, 'writtenAtMs'>
  readonly part: StreamPart
}

export class LedgerKeeper {
  readonly #host: LedgerHost
  readonly #jobs: Jobs
  readonly #keysOf: KeysOf
  /** Called when nothing is being written any more. */
  onIdle: () => void = () => undefined
  /** Temporary names of the files that are being written. */
  readonly #writing = new Set<string>()
  #lastNumber = 0
  /** The same transfer may begin again: its loss is written once. */
  #lastLoss = ''
  #count = 0
  #lastFile = ''
  #lastCommands = 0

  /** `keysOf`: the keys a command names. */
  constructor(host: LedgerHost, jobs: Jobs, keysOf: KeysOf) {
    this.#host = host
    this.#jobs = jobs
    this.#keysOf = keysOf
  }

  get isBusy(): boolean {
    return this.#writing.size > 0
  }

  keep({ facts, part }: LedgerLoss): void {
    const { settings, now } = this.#host
    if (settings.int('ledger-max-files') === 0) return
    const loss = `${facts.history} ${facts.kept} ${facts.to}`
    if (loss === this.#lastLoss) return
    this.#lastLoss = loss
    const temporary = temporaryName(++this.#lastNumber)
    this.#writing.add(temporary)
    const complete = { ...facts, writtenAtMs: now.wallMs }
    const commands = new LostCommands(part, this.#keysOf)
    this.#jobs.start(writeLedger(complete, commands, temporary), (kept) => {
      this.#writing.delete(temporary)
      this.#wasWritten(kept, complete, commands)
      if (!this.isBusy) this.onIdle()
    })
  }

  /** For INFO replication; empty as long as nothing was lost. */
  infoLines(): string[] {
    if (this.#count === 0) return []
    return [
      `lost_writes_ledgers:${this.#count}`,
      `last_ledger_file:${this.#lastFile}`,
      `last_ledger_commands:${this.#lastCommands}`,
    ]
  }

  #wasWritten(kept: Kept, facts: LedgerFacts, { count, keys }: LostCommands): void {
    if (kept === 'none') return
    if (kept !== 'kept') {
      // The next attempt tries again.
      this.#lastLoss = ''
      return this.#log(`the writes that are lost now could not be kept: ${kept.text}`)
    }
    this.#count++
    this.#lastFile = ledgerName(facts)
    this.#lastCommands = count
    const [file, { port, now }] = [this.#lastFile, this.#host]
    port.note?.(now, { kind: 'ledger', file, writes: count, keys, master: facts.master })
    const share = facts.rule === 'exact' ? '' : ', as far as we know,'
    this.#log(
      `${count} writes to ${keys} keys that ${facts.master} never had${share} are kept in ` +
        `${this.#lastFile}${gapOf(facts)}`,
    )
    this.#tidy(this.#lastFile)
  }

  #tidy(newest: string): void {
    const { settings } = this.#host
    const limits = {
      files: settings.int('ledger-max-files'),
      bytes: settings.int('ledger-max-bytes'),
    }
    this.#jobs.start(removeOldLedgers(limits, newest, this.#writing), (removed) => {
      if (removed.length > 0) this.#log(`the oldest were removed: ${removed.join(', ')}`)
    })
  }

  #log(text: string): void {
    this.#host.port.log('warning', `ledger: ${text}`)
  }
}

/** What the ledger should contain and does not, because the backlog or the ledger is too small. */
function gapOf({ from, kept }: LedgerFacts): string {
  return kept > from ? `; what was written at the offsets ${from} to ${kept - 1} is not in it` : ''
}
