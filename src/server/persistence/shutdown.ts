/**
 * Ending the process without losing anything: SHUTDOWN, SIGTERM and SIGINT. Writes wait from the first
 * moment on, and are never answered if it comes to the end. Replicas that are online get the time to
 * acknowledge what they were sent [shutdown-timeout], then the append-only file is synced and, if there
 * are save points, the data are saved. What cannot be kept holds the process back, unless it is forced.
 */
import { error, OK, type Reply } from '../../resp/reply.ts'
import { NO_SHUTDOWN } from '../errors.ts'
import type { StopSignal } from '../port.ts'
import type { Pause } from '../sessions/pause.ts'
import type { Settings } from '../settings/settings.ts'
import type { Aof } from './aof.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { Saving } from './saving.ts'

export interface ShutdownRequest {
  /** Undefined: if there are save points. */
  readonly mustSave?: boolean | undefined
  /** Replicas are not waited for. */
  readonly isNow?: boolean | undefined
  /** What cannot be kept is lost. */
  readonly isForced?: boolean | undefined
}

/** What ending the process has to do with replicas. */
export interface ReplicasAtEnd {
  /** Whether every replica that is online has acknowledged the stream up to there. */
  haveAcknowledged(offset: number): boolean
  /** Asks them to, if need be. Gives the offset that says that they have everything of now. */
  requestAcknowledgements(): number
  /** Ends transfers of snapshots, which would keep the turn for as long as they take. */
  endTransfers(): void
}

export interface ShutdownParts {
  readonly host: PersistenceHost
  readonly jobs: Jobs
  readonly saving: Saving
  readonly aof: Aof
  readonly pause: Pause
  readonly replicas: ReplicasAtEnd
  isLoading(): boolean
  /** Everything that was answered leaves first. */
  exit(): void
}

/** Given to those who asked for it; undefined: it was a signal. */
type OnRefused = (reply: Reply) => void

interface Run {
  readonly request: ShutdownRequest
  readonly waiters: OnRefused[]
  /** While replicas are waited for; undefined: it cannot take long any more. */
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

  /** For INFO: how long replicas are waited for at most; undefined: they are not. */
  get remainingMs(): number | undefined {
    const endMs = this.#run?.replicas?.endMs
    return endMs === undefined ? undefined : Math.max(0, endMs - this.#nowMs)
  }

  /** `onRefused` is called if the process does not end after all. */
  begin(request: ShutdownRequest, onRefused?: OnRefused): void {
    const isFirst = this.#run === undefined
    const run = this.#run ?? this.#start(request)
    if (onRefused !== undefined) run.waiters.push(onRefused)
    if (isFirst) this.#waitOrFinish(run)
    else if (request.isNow === true && run.replicas !== undefined) this.#finish(run)
  }

  /**
   * What it asks for is in [shutdown-on-sigterm] and [shutdown-on-sigint]. One more ends the waiting; it
   * does not end a save.
   */
  signalled(signal: StopSignal): void {
    if (this.#run === undefined) return this.begin(signalRequest(this.#parts.host.settings, signal))
    this.#log('notice', 'one more signal: replicas are waited for no longer')
    this.begin({ isNow: true })
  }

  /** SHUTDOWN ABORT. */
  abort(): Reply {
    const run = this.#run
    if (run === undefined) return NO_SHUTDOWN
    this.#refuse(run, 'a client has ended it')
    return OK
  }

  /** They may have brought the last acknowledgement. */
  commandsDone(): void {
    const run = this.#run
    if (run?.replicas === undefined) return
    if (this.#parts.replicas.haveAcknowledged(run.replicas.offset)) this.#finish(run)
  }

  wake(): void {
    const run = this.#run
    if (run?.replicas === undefined || this.#nowMs < run.replicas.endMs) return
    this.#log('warning', 'some replicas have not acknowledged everything in time')
    this.#finish(run)
  }

  nextWakeUpMs(): number | undefined {
    return this.#run?.replicas?.endMs
  }

  get #nowMs(): number {
    return this.#parts.host.now.monoMs
  }

  #start(request: ShutdownRequest): Run {
    const run: Run = { request, waiters: [], replicas: undefined }
    this.#run = run
    this.#log('notice', 'this node is to end')
    this.#parts.pause.start(Number.POSITIVE_INFINITY, 'writes', 'shutdown')
    return run
  }

  #waitOrFinish(run: Run): void {
    const { replicas, host, isLoading } = this.#parts
    // There is nothing yet that could be lost.
    if (isLoading()) return this.#exit()
    const timeoutMs = host.settings.int('shutdown-timeout') * 1000
    if (run.request.isNow === true || timeoutMs === 0) return this.#finish(run)
    const offset = replicas.requestAcknowledgements()
    if (replicas.haveAcknowledged(offset)) return this.#finish(run)
    run.replicas = { offset, endMs: this.#nowMs + timeoutMs }
    this.#log('notice', `replicas have ${timeoutMs / 1000} seconds to acknowledge everything`)
  }

  /** Whatever takes a snapshot makes way for the last one. */
  #finish(run: Run): void {
    const { saving, jobs, aof } = this.#parts
    run.replicas = undefined
    saving.giveUp()
    jobs.start(aof.finish(run.request.isForced === true), (failure) => {
      if (this.#run !== run) return
      if (failure === undefined || run.request.isForced === true) this.#save(run)
      else this.#refuse(run, `the append-only file cannot be kept: ${failure.text}`)
    })
  }

  #save(run: Run): void {
    const { saving, replicas } = this.#parts
    if (!(run.request.mustSave ?? saving.hasPoints)) return this.#exit()
    this.#log('notice', 'saving the data')
    replicas.endTransfers()
    saving.order((failure) => {
      if (this.#run !== run) return
      if (failure === undefined || run.request.isForced === true) this.#exit()
      else this.#refuse(run, `the data cannot be saved: ${failure.text}`)
    })
  }

  #refuse(run: Run, reason: string): void {
    this.#run = undefined
    this.#log('warning', `it goes on: ${reason}`)
    this.#parts.pause.end('shutdown')
    for (const onRefused of run.waiters) onRefused(REFUSED)
  }

  #exit(): void {
    this.#log('notice', 'bye')
    this.#parts.exit()
  }

  #log(level: 'notice' | 'warning', text: string): void {
    this.#parts.host.port.log(level, `shutdown: ${text}`)
  }
}
