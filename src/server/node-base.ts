/**
 * What every part of a node is built on: the data, the clients, the clock, and the border to the
 * world. Replication, persistence and the commands are built on it (context.ts); the base knows
 * none of them.
 */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { NodeAccess } from './access/access.ts'
import { FunctionStore } from './functions.ts'
import { Rates } from './info/rates.ts'
import { newStats } from './info/stats.ts'
import { ForeseenKeys } from './key-table/foreseen-keys.ts'
import { createKeyHash, secretKeyHash } from './key-table/key-hash.ts'
import { Keyspace } from './keyspace/keyspace.ts'
import { Usage } from './keyspace/usage.ts'
import { ClientMemory } from './memory/client-memory.ts'
import { HeapGuard } from './memory/heap-guard.ts'
import type { LoadedCommand } from './persistence/load-result.ts'
import { SnapshotTurn } from './persistence/snapshot-turn.ts'
import type { ConnectionId, NodePort } from './port.ts'
import { ScriptEngine } from './scripting/engine.ts'
import { Blocking } from './sessions/blocking.ts'
import { ClientDisconnects } from './sessions/client-disconnects.ts'
import { DebugSleep } from './sessions/debug-sleep.ts'
import { Handoffs } from './sessions/handoffs.ts'
import { KeyspaceEvents } from './sessions/keyspace-events.ts'
import { MasterSession } from './sessions/master-session.ts'
import { OutputGate } from './sessions/output-gate.ts'
import { Pause } from './sessions/pause.ts'
import { PubSub } from './sessions/pubsub.ts'
import { SentinelBoard } from './sessions/sentinel-board.ts'
import type { ClientSession } from './sessions/session.ts'
import { Sessions } from './sessions/sessions.ts'
import { SyncGate } from './sessions/sync-gate.ts'
import type { Settings } from './settings/settings.ts'
import { ClientTracking } from './tracking/client-tracking.ts'
import { CommandLogs } from './watching/command-log.ts'
import { CommandTimes } from './watching/command-times.ts'
import { Monitors } from './watching/monitors.ts'
import { NodeJournal } from './watching/node-journal.ts'

/** What a node begins with. */
export interface NodeBeginning {
  readonly settings: Settings
  readonly port: NodePort
  readonly rng: Rng
  readonly now: Moment
  /**
   * 256 secret bits, as text, for ACL GENPASS and the hash of keys; undefined: drawn from `rng`,
   * for simulations.
   */
  readonly secret?: string | undefined
}

export class NodeBase {
  readonly settings: Settings
  /** The output gate, which holds back replies until their writes are kept. */
  readonly port: OutputGate
  /** What clients are sent goes through this gate first: in a strict group it waits for voters. */
  readonly syncGate: SyncGate
  /** The root from which all randomness of the node is forked. */
  readonly rootRng: Rng
  /** 40 hex characters, new at every start. */
  readonly runId: string
  readonly startedAt: Moment
  /** The moment of the present turn. */
  now: Moment
  readonly access: NodeAccess
  readonly stats = newStats()
  readonly rates = new Rates(this.stats)
  /** Keys that the requests being read name. */
  readonly foreseen: ForeseenKeys
  readonly keyspace: Keyspace
  /** Libraries of server-side functions. */
  readonly functions: FunctionStore
  /** Runs scripts and functions. */
  readonly scripting: ScriptEngine
  readonly sessions: Sessions
  readonly heap: HeapGuard
  readonly clientMemory: ClientMemory
  readonly blocking: Blocking
  readonly pause = new Pause()
  readonly sleep = new DebugSleep()
  readonly disconnects: ClientDisconnects
  readonly handoffs: Handoffs
  readonly pubsub = new PubSub()
  readonly keyspaceEvents: KeyspaceEvents
  readonly tracking: ClientTracking
  readonly monitors = new Monitors()
  readonly commandLogs: CommandLogs
  readonly times: CommandTimes
  readonly journal: NodeJournal
  readonly sentinels: SentinelBoard
  readonly snapshotTurn = new SnapshotTurn()
  /** The session in which the commands of our master's stream run. */
  readonly streamTarget: MasterSession
  /** DEBUG PAUSE-CRON: nothing is done by the clock. */
  isCronPaused = false
  /** DEBUG SET-SKIP-CHECKSUM-VALIDATION: payloads of RESTORE may have any checksum. */
  skipsChecksums = false
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call commands that are not for scripts. */
  scriptsMayCallAny = false
  #lastConnectionId: ConnectionId = 0
  /** Runs one command of a file that is being loaded, see replay.ts. */
  applyLoaded: (argv: readonly string[]) => LoadedCommand = () => ({ kind: 'unknown' })

  /** `onForget`: the session is gone; every reference to it is dropped. */
  constructor(
    { settings, port, rng, now, secret }: NodeBeginning,
    access: NodeAccess,
    onForget: (session: ClientSession) => void,
  ) {
    this.settings = settings
    this.port = new OutputGate(port)
    this.syncGate = new SyncGate(this.port)
    this.rootRng = rng
    this.runId = rng.fork('run-id').hex(40)
    this.startedAt = now
    this.scripting = new ScriptEngine(port.heap?.read().limitBytes ?? 0)
    this.functions = new FunctionStore(this.scripting.libraries)
    this.now = now
    this.access = access
    this.commandLogs = new CommandLogs(settings)
    this.times = new CommandTimes(settings, port, this.commandLogs.slow)
    this.journal = new NodeJournal(this)
    this.keyspaceEvents = new KeyspaceEvents(settings, this.pubsub)
    const usage = new Usage(rng.fork('usage'))
    usage.follow(settings)
    const hash = secret === undefined ? createKeyHash(rng.fork('key-hash')) : secretKeyHash(secret)
    this.foreseen = new ForeseenKeys(hash)
    this.keyspace = new Keyspace(settings.int('databases'), this.foreseen.hash, usage)
    this.keyspace.nowMs = now.wallMs
    const { stats, pause } = this
    const onOutput = (bytes: number) => this.heap.sending(bytes)
    const { users } = access
    const onResized = (session: ClientSession) => this.clientMemory.note(session)
    this.sessions = new Sessions({
      ...{ port: this.syncGate, settings, users, stats },
      ...{ onForget, onOutput, onResized },
    })
    this.tracking = new ClientTracking(this)
    this.clientMemory = new ClientMemory(this)
    this.heap = new HeapGuard(this, this.sessions)
    this.sentinels = new SentinelBoard(settings, this.sessions)
    this.blocking = new Blocking(this.sessions, stats)
    this.disconnects = new ClientDisconnects(settings, this.sessions, pause)
    this.handoffs = new Handoffs(this.sessions, pause, settings)
    this.streamTarget = new MasterSession(now, this.sessions)
  }

  /** For a connection that the node opens: below zero, and never used again. */
  newConnectionId(): ConnectionId {
    return --this.#lastConnectionId
  }

  beginTurn(now: Moment): void {
    this.port.beginTurn()
    this.times.turnBegins()
    this.rates.turnBegins(now.monoMs)
    this.now = now
    this.keyspace.nowMs = now.wallMs
  }
}
