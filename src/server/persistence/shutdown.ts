/**
 * Ending the process without losing anything: SHUTDOWN, SIGTERM and SIGINT. A master with Sentinels and replicas
 * first has another one take its place (handover.ts), while it serves its clients as ever. From then on writes
 * wait, and are never answered if the process does end. Replicas that are online get time to acknowledge
 * what they were sent, then the append-only file is synced and, if there are save points, the data are
 * saved. A save that fails prevents the end, unless it is forced, and so does an append-only file that cannot get
 * all data: one that does not have them yet, after a full copy or because files were deleted, is written anew first. One that lacks only what the disk did not take any more does not, as with redis-server: clients
 * have been refused since. Handing over and the wait for replicas may take [shutdown-timeout] each.
 */
import { error, OK, type Reply } from '../../resp/reply.ts'
import { NO_SHUTDOWN } from '../errors.ts'
import type { StopSignal } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import type { Aof } from './aof.ts'
import type { FileFailure } from './files.ts'
import type { Handover } from './handover.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { Saving } from './saving.ts'

export interface ShutdownRequest {
  /** Undefined means: if there are save points. */
  readonly mustSave?: boolean | undefined
  /** Do not wait for replicas. */
  readonly isNow?: boolean | undefined
  /** End even if data cannot be kept. */
  readonly isForced?: boolean | undefined
}

export interface ShutdownParts {
  readonly host: PersistenceHost
  readonly jobs: Jobs
  readonly saving: Saving
  readonly aof: Aof
  readonly handover: Handover
  isLoading(): boolean
}

/** Called for every client that asked; undefined for a signal. */
type OnRefused = (reply: Reply) => void

interface Run {
  readonly request: ShutdownRequest
  readonly waiters: OnRefused[]
  /** Set while we wait for replicas; undefined once it cannot take long any more. */
  replicas: { readonly offset: number; readonly endMs: number } | undefined
}

function signalRequest(settings: Settings, signal: StopSignal): ShutdownRequest {
  const name = signal === 'SIGINT' ? 'shutdown-on-sigint' : 'shutdown-on-sigterm'
  const words = new Set(settings.text(name).split(' '))
  return {
    mustSave: words.has('save') ? true : words.has('nosave') ? false : undefined,
    isNow: words.has('now'),
    isForced: words.has('force'),
  }
}

const REFUSED = error('ERR Errors trying to SHUTDOWN. Check logs.')

export class Shutdown {
  readonly #parts: ShutdownParts
  #run: Run | undefined

  constructor(parts: ShutdownParts) {
    this.#parts = parts
  }

  /** For INFO: how much longer we wait for replicas at most; undefined if we do not. */
  get remainingMs(): number | undefined {
    const endMs = this.#run?.replicas?.endMs
    return endMs === undefined ? undefined : Math.max(0, endMs - this.#nowMs)
  }

  /** `onRefused` is called if the process does not end after all. */
  begin(request: ShutdownRequest, onRefused?: OnRefused, why = 'SHUTDOWN'): void {
    const isFirst = this.#run === undefined
    const run = this.#run ?? this.#start(request, why)
    if (onRefused !== undefined) run.waiters.push(onRefused)
    const { handover } = this.#parts
    if (isFirst) this.#handOver(run)
    else if (request.isNow === true && handover.isRunning) {
      handover.giveUp()
      this.#waitOrFinish(run, true)
    } else if (request.isNow === true && run.replicas !== undefined) this.#finish(run)
  }

  /**
   * [shutdown-on-sigterm] and [shutdown-on-sigint] say what a signal asks for. A second signal ends the
   * waiting; it does not end a save.
   */
  signalled(signal: StopSignal): void {
    const { settings } = this.#parts.host
    if (this.#run === undefined)
      return this.begin(signalRequest(settings, signal), undefined, signal)
    this.#log('notice', 'one more signal: no other node is waited for any longer')
    this.begin({ isNow: true })
  }

  /** Whether the end that a signal asks for saves the data. */
  savesFor(signal: StopSignal): boolean {
    const { host, saving } = this.#parts
    return signalRequest(host.settings, signal).mustSave ?? saving.hasPoints
  }

  /** SHUTDOWN ABORT. */
  abort(): Reply {
    const run = this.#run
    if (run === undefined) return NO_SHUTDOWN
    this.#refuse(run, 'a client has ended it')
    return OK
  }

  /** The commands may have brought the last acknowledgement. */
  commandsDone(): void {
    this.#parts.handover.commandsDone()
    const run = this.#run
    if (run?.replicas === undefined) return
    if (this.#parts.host.replication.serving.haveAcknowledged(run.replicas.offset))
      this.#finish(run)
  }

  wake(): void {
    this.#parts.handover.wake()
    const run = this.#run
    if (run?.replicas === undefined || this.#nowMs < run.replicas.endMs) return
    this.#log('warning', 'some replicas have not acknowledged everything in time')
    this.#finish(run)
  }

  nextWakeUpMs(): number | undefined {
    return this.#parts.handover.nextWakeUpMs() ?? this.#run?.replicas?.endMs
  }

  get #nowMs(): number {
    return this.#parts.host.now.monoMs
  }

  #start(request: ShutdownRequest, why: string): Run {
    const run: Run = { request, waiters: [], replicas: undefined }
    this.#run = run
    this.#log('notice', 'this node is to end')
    this.#parts.host.journal.note({ kind: 'stopping', why })
    return run
  }

  #handOver(run: Run): void {
    const { handover, isLoading } = this.#parts
    const mayWait = run.request.isNow !== true && this.#timeoutMs > 0
    const goOn = () => this.#waitOrFinish(run, false)
    if (isLoading() || !mayWait || !handover.begin(this.#timeoutMs, goOn)) goOn()
  }

  get #timeoutMs(): number {
    return this.#parts.host.settings.int('shutdown-timeout') * 1000
  }

  #waitOrFinish(run: Run, isNow: boolean): void {
    const { host, isLoading } = this.#parts
    const { serving } = host.replication
    host.pause.start(Number.POSITIVE_INFINITY, 'writes', 'shutdown')
    // There is nothing yet that could be lost.
    if (isLoading()) return this.#exit()
    const timeoutMs = this.#timeoutMs
    if (isNow || run.request.isNow === true || timeoutMs === 0) return this.#finish(run)
    const offset = serving.requestAcknowledgements()
    if (serving.haveAcknowledged(offset)) return this.#finish(run)
    run.replicas = { offset, endMs: this.#nowMs + timeoutMs }
    this.#log('notice', `replicas have ${timeoutMs / 1000} seconds to acknowledge everything`)
  }

  /** Every running snapshot makes way for the last one. */
  #finish(run: Run): void {
    const { saving, jobs, aof } = this.#parts
    run.replicas = undefined
    saving.giveUp()
    jobs.start(aof.finish(run.request.isForced === true), (failure) => {
      if (this.#run !== run) return
      if (failure === undefined || run.request.isForced === true) this.#save(run)
      else if (aof.syncedBytes < 0) this.#restore(run)
      else this.#saveAllTheSame(run, failure)
    })
  }

  /**
   * What was in files that have been deleted is in memory alone, and so is a full copy until a rewrite has ended:
   * redis-server ends and loses the one, and refuses to end because of the other, so that its service manager kills it.
   */
  #restore(run: Run): void {
    this.#log('notice', 'the append-only file is written anew first')
    this.#parts.aof.restore((failure) => {
      if (this.#run !== run) return
      if (failure === undefined) this.#finish(run)
      else this.#refuse(run, `the append-only file cannot be kept: ${failure.text}`)
    })
  }

  /** A torn file is a sound one without its end, and whoever stops the service wants it stopped. */
  #saveAllTheSame(run: Run, { text }: FileFailure): void {
    const bytes = this.#parts.aof.waitingBytes
    const lacks = bytes === 0 ? 'may lack its last writes' : `lacks its last ${bytes} bytes`
    this.#log('warning', `the append-only file ${lacks}: ${text}`)
    this.#save(run)
  }

  #save(run: Run): void {
    const { saving, host } = this.#parts
    if (!(run.request.mustSave ?? saving.hasPoints)) return this.#exit()
    this.#log('notice', 'saving the data')
    host.replication.serving.endTransfers()
    saving.order((failure) => {
      if (this.#run !== run) return
      if (failure === undefined || run.request.isForced === true) this.#exit()
      else this.#refuse(run, `the data cannot be saved: ${failure.text}`)
    })
  }

  #refuse(run: Run, reason: string): void {
    this.#run = undefined
    this.#parts.handover.giveUp()
    this.#log('warning', `it goes on: ${reason}`)
    this.#parts.host.pause.end('shutdown')
    for (const onRefused of run.waiters) onRefused(REFUSED)
  }

  /** Everything that was answered leaves first. */
  #exit(): void {
    const { host, aof } = this.#parts
    this.#log('notice', 'bye')
    host.journal.finish()
    host.replication.noteEnd()
    aof.turnEnds()
    host.sessions.flushAll(host.now.monoMs)
    host.port.exit(0)
  }

  #log(level: 'notice' | 'warning', text: string): void {
    this.#parts.host.port.log(level, `shutdown: ${text}`)
  }
}
