/** Builds the machine: from a configuration and the saved state to a state and a first batch. */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Access } from './access/access.ts'
import { type AclFileText, startAccess } from './access/access-start.ts'
import type { SentinelConfig } from './config.ts'
import { punctual } from './detection/lateness.ts'
import { onHeartbeat } from './detection/tilt.ts'
import { registerPeer } from './discovery/peers.ts'
import { registerReplica } from './discovery/replicas.ts'
import type { Effect } from './effect.ts'
import { noEpochRecord } from './election/epoch.ts'
import { noInquiries } from './external-queries.ts'
import { restoreBlock } from './failover/flapping.ts'
import { slotOf } from './grid.ts'
import { addGroup } from './groups.ts'
import { noNames } from './names/known-names.ts'
import { restorePause } from './pause/pause.ts'
import {
  highestEpoch,
  type RestoredGroup,
  restoreGroups,
  restoreSettings,
  stillRemoved,
} from './persistence/restore.ts'
import { save } from './persistence/save.ts'
import type { SavedState } from './persistence/saved.ts'
import { settingsOf } from './persistence/settings.ts'
import { newTally } from './report/event-tally.ts'
import type { ProcessFacts } from './report/process-facts.ts'
import { noScripts } from './scripts/script-job.ts'
import type { State, Turn } from './state.ts'
import { Timers } from './timers.ts'
import { log } from './turn.ts'

export interface SentinelStart {
  readonly config: SentinelConfig
  /** What the state file holds; undefined on the first start. */
  readonly saved: SavedState | undefined
  readonly rng: Rng
  readonly now: Moment
  /** [aclfile] The path and the text of the file, which `checkSentinelAclFile` has found sound. */
  readonly aclFile?: AclFileText | undefined
  /**
   * 256 secret bits, as text, for ACL GENPASS; undefined: they are drawn from `rng`, for
   * simulations.
   */
  readonly secret?: string | undefined
  /** For INFO; undefined if there is no process, as in the simulator. */
  readonly process?: ProcessFacts | undefined
}

/**
 * Builds the machine. The effects are its first batch: open the links, announce the groups, save.
 */
export function startSentinel(start: SentinelStart): {
  readonly state: State
  readonly effects: readonly Effect[]
} {
  const { access, lost } = openAccess(start)
  const state = createState(start, access)
  const turn: Turn = { state, now: start.now, effects: [] }
  applyLearntLogLevel(turn)
  // A warning, as in Redis: programs that start Sentinels for tests wait for the line with its sign.
  log(turn, 'warning', `Sentinel ID is ${state.myid}`)
  for (const name of lost) log(turn, 'warning', lostUser(name))
  for (const restored of restoreGroups(start.config.groups, start.saved)) restore(turn, restored)
  save(turn)
  onHeartbeat(turn)
  return { state, effects: turn.effects }
}

function lostUser(name: string): string {
  return `the rules kept for the user '${name}' cannot be read: what the file says of him counts`
}

/** The program opened its log with the level of the file; a level set at run time replaces it. */
function applyLearntLogLevel({ state, effects }: Turn): void {
  const { logLevel } = state.config
  if (logLevel !== state.fileSettings.logLevel)
    effects.push({ kind: 'setLogLevel', level: logLevel })
}

function restore(turn: Turn, { config, file, saved }: RestoredGroup): void {
  const group = addGroup(turn, config, file, saved?.configEpoch)
  if (saved === undefined) return
  group.leaderEpoch = saved.leaderEpoch
  group.leader = saved.leader
  restorePause(turn, group, saved.pause)
  restoreBlock(turn, group, saved)
  const others = saved.replicas.filter(
    (one) => one.host !== config.host || one.port !== config.port,
  )
  for (const address of others) registerReplica(turn, group, address)
  for (const peer of saved.peers)
    Object.assign(registerPeer(turn, group, peer), { isProven: true, isSettled: true })
}

function openAccess({ config, saved, rng, aclFile, secret }: SentinelStart) {
  const source = secret ?? rng.fork('passwords').hex(64)
  return startAccess({ config, saved: saved?.users, aclFile, secret: source })
}

function createState({ config, saved, rng, now, process }: SentinelStart, access: Access): State {
  const fileSettings = settingsOf(config)
  const myid = saved?.myid ?? rng.fork('myid').hex(40)
  return {
    config: { ...config, ...restoreSettings(fileSettings, saved) },
    fileSettings,
    myid,
    slot: slotOf(myid),
    rng: rng.fork('machine'),
    timers: new Timers(),
    groups: new Map(),
    removed: stillRemoved(config.groups, saved),
    connections: new Map(),
    clients: new Map(),
    requestsSeenAtBytes: 0,
    access,
    inquiries: noInquiries(),
    names: noNames(),
    scripts: noScripts(),
    currentEpoch: highestEpoch(saved),
    epochs: noEpochRecord(now.monoMs),
    renumbering: saved?.renumbering,
    orders: [],
    nextLinkId: 1,
    tilt: {
      kind: 'tilt',
      sinceMs: undefined,
      last: now,
      total: 0,
      late: punctual(),
      deadlines: new Map(),
    },
    clones: undefined,
    canSave: true,
    saves: { sinceMs: undefined, lasting: undefined },
    stopping: false,
    crashesAfter: { election: false, promotion: false },
    process,
    startedAt: now,
    stats: {
      connectionsReceived: 0,
      commandsProcessed: 0,
      rejected: 0,
      bytesReceived: 0,
      reads: 0,
      errorReplies: 0,
      tally: newTally(),
    },
  }
}
