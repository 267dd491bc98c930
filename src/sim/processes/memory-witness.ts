/**
 * What a Sentinel's state file must hold, seen from outside: after each save the same as its memory,
 * after each start the memory the same as the file, and never less than in the file before. A vote or
 * an epoch that the Sentinel tells must be in the file by then, unless its disk fails.
 *
 * A slip in what is saved, restored or forgotten shows here at once, and not only when a crash
 * comes at the one moment at which it matters.
 */
import type { Moment } from '../../base/clock.ts'
import { GROUP_OPTION_KEYS } from '../../core/group-options.ts'
import type { SavedGroup, SavedState } from '../../core/persistence/saved.ts'
import { settingsOf } from '../../core/persistence/settings.ts'
import { currentMaster, type Group, type State } from '../../core/state.ts'

/** What ends within this time may be over in one of the two already. */
const ENDING_MS = 1_000

export class MemoryWitness {
  readonly #tell: (text: string) => void
  #file: SavedState | undefined
  /** The last save failed: what is told meanwhile need not be in the file. */
  #isFailing = false
  /** Of the file: a group that an operator has removed and added since is another one, and may begin anew. */
  #groups: ReadonlyMap<string, Group> = new Map()
  /** By group: the highest epoch in which it told a vote, in any life, and also before the group was removed. */
  readonly #voted = new Map<string, number>()

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  /** The machine has been built from this file; undefined: there is none. */
  started(state: State, file: SavedState | undefined, now: Moment): void {
    this.#file = file
    this.#groups = new Map(state.groups)
    this.#isFailing = false
    // A backup does not know what was told since.
    const known = file === undefined ? -1 : highestIn(file)
    for (const [group, epoch] of this.#voted) if (epoch > known) this.#voted.delete(group)
    if (file === undefined) return
    for (const what of differences(state, file, now))
      this.#tell(`has forgotten by a restart: ${what}`)
  }

  /** The file holds this now, durably. */
  saved(state: State, file: SavedState, now: Moment): void {
    for (const what of differences(state, file, now)) this.#tell(`has not kept: ${what}`)
    for (const what of this.#lost(state, file)) this.#tell(`keeps less than before: ${what}`)
    for (const what of this.#repeatable(file)) this.#tell(`could vote again ${what}`)
    this.#file = file
    this.#groups = new Map(state.groups)
    this.#isFailing = false
  }

  saveFailed(): void {
    this.#isFailing = true
  }

  /** The Sentinel tells these epochs of a group. */
  tellsEpochs({ groups }: State, group: string, currentEpoch: number, configEpoch: number): void {
    if (this.#isFailing || this.#file === undefined) return
    const kept = groupIn(this.#file, group)
    // A hello that waited for a save may be of a group that was removed, and added again, meanwhile.
    const known = groups.get(group)?.configEpoch ?? 0
    if (currentEpoch > this.#file.currentEpoch) {
      this.#tell(`tells epoch ${currentEpoch} before it is kept`)
    } else if (kept !== undefined && configEpoch > kept.configEpoch && configEpoch <= known) {
      this.#tell(`tells config epoch ${configEpoch} of ${group} before it is kept`)
    }
  }

  /** Begins a failover that needs votes: its own would not be kept. */
  stands(group: string): void {
    if (this.#isFailing) this.#tell(`stands for ${group} while its file keeps nothing`)
  }

  /** Votes are withheld, too, while the disk fails. */
  tellsVote(group: string, epoch: number, leader: string): void {
    this.#voted.set(group, Math.max(epoch, this.#voted.get(group) ?? 0))
    const kept = this.#file && groupIn(this.#file, group)
    if (kept === undefined) return
    if (kept.leaderEpoch > epoch || (kept.leaderEpoch === epoch && kept.leader === leader)) return
    this.#tell(`tells a vote in epoch ${epoch} of ${group} before it is kept`)
  }

  /** Votes that the new file knows nothing of. */
  #repeatable({ groups, renumbering }: SavedState): readonly string[] {
    if (renumbering !== undefined) this.#voted.clear()
    return groups.flatMap(({ current: { name }, leaderEpoch }) => {
      const epoch = this.#voted.get(name) ?? 0
      return epoch > leaderEpoch ? [`in epoch ${epoch} of ${name}`] : []
    })
  }

  /** What the new file has less of than the one before. */
  #lost(state: State, file: SavedState): readonly string[] {
    const before = this.#file
    if (before === undefined || file.renumbering !== undefined) return []
    const { myid, currentEpoch, groups } = before
    return [
      ...(file.myid === myid ? [] : [`the id ${myid}`]),
      ...(file.currentEpoch >= currentEpoch ? [] : [`the epoch ${currentEpoch}`]),
      ...groups.flatMap((old) => {
        const { name } = old.current
        const isRenewed = state.groups.get(name) !== this.#groups.get(name)
        const now = isRenewed ? undefined : groupIn(file, name)
        return now === undefined ? [] : lostOf(old, now).map((what) => `${what} of ${name}`)
      }),
    ]
  }
}

function groupIn({ groups }: SavedState, name: string): SavedGroup | undefined {
  return groups.find(({ current }) => current.name === name)
}

function lostOf(old: SavedGroup, now: SavedGroup): readonly string[] {
  return [
    ...(now.configEpoch >= old.configEpoch ? [] : [`config epoch ${old.configEpoch}`]),
    ...(now.leaderEpoch >= old.leaderEpoch ? [] : [`the vote in epoch ${old.leaderEpoch}`]),
    ...((now.pause?.number ?? 0) >= (old.pause?.number ?? 0)
      ? []
      : [`order ${old.pause?.number} about a pause`]),
  ]
}

/** Where the memory and the file say something else, in words. */
function differences(state: State, file: SavedState, now: Moment): readonly string[] {
  const settings = settingsOf(state.config)
  const names = [...state.groups.keys()].sort().join(' ')
  const kept = file.groups.map(({ current }) => current.name).sort()
  return [
    ...unequal('the id', state.myid, file.myid),
    ...unequal('the current epoch', state.currentEpoch, highestIn(file)),
    ...unequal('the groups', names, kept.join(' ')),
    ...(file.settings === undefined ? [] : unequal('settings', settings, file.settings.current)),
    ...[...state.groups.values()].flatMap((group) => {
      const saved = groupIn(file, group.config.name)
      return saved === undefined ? [] : groupDifferences(group, saved, now)
    }),
  ]
}

function highestIn({ currentEpoch, groups }: SavedState): number {
  return Math.max(currentEpoch, ...groups.flatMap((one) => [one.configEpoch, one.leaderEpoch]))
}

function groupDifferences(group: Group, saved: SavedGroup, now: Moment): readonly string[] {
  const { current } = saved
  const { host, port } = currentMaster(group)
  const options = GROUP_OPTION_KEYS.filter((key) => {
    return JSON.stringify(group.config[key]) !== JSON.stringify(current[key])
  })
  const replicas = [group.master, ...group.replicas.values()].filter((one) => {
    return one.host !== host || one.port !== port
  })
  const peers = [...group.peers.values()].filter(({ isProven }) => isProven)
  const found = [
    ...unequal('the master', `${host}:${port}`, `${current.host}:${current.port}`),
    ...unequal('the config epoch', group.configEpoch, saved.configEpoch),
    ...unequal('the epoch of the vote', group.leaderEpoch, saved.leaderEpoch),
    ...unequal('the vote', group.leader, saved.leader),
    ...options.map((key) => `the option ${key}`),
    ...unequal('the replicas', placesOf(replicas), placesOf(saved.replicas)),
    ...unequal('the Sentinels', idsOf(peers), idsOf(saved.peers)),
    ...pauseDifferences(group, saved, now),
    ...blockDifferences(group, saved, now),
  ]
  return found.map((what) => `${what} of ${group.config.name}`)
}

function pauseDifferences({ pause }: Group, { pause: kept }: SavedGroup, now: Moment) {
  const number = unequal('the last order about a pause', pause.number, kept?.number ?? 0)
  const leftMs = pause.untilMs === undefined ? 0 : pause.untilMs - now.monoMs
  const keptMs = Math.min(kept?.leftMs ?? 0, (kept?.endsAtWallMs ?? 0) - now.wallMs)
  return [...number, ...unequalSpans('the pause', leftMs, keptMs)]
}

function blockDifferences({ blockedUntilMs, config }: Group, saved: SavedGroup, now: Moment) {
  if (config.failoverBlockMs === 0) return []
  const leftMs = blockedUntilMs === undefined ? 0 : blockedUntilMs - now.monoMs
  return unequalSpans('the block', leftMs, (saved.blockedUntilWallMs ?? 0) - now.wallMs)
}

function unequalSpans(what: string, leftMs: number, keptMs: number): readonly string[] {
  const isLost = leftMs > ENDING_MS && keptMs <= 0
  return isLost || (keptMs > ENDING_MS && leftMs <= 0) ? [what] : []
}

function unequal(what: string, memory: unknown, file: unknown): readonly string[] {
  const [known, kept] = [memory, file].map((one) => JSON.stringify(one))
  return known === kept ? [] : [`${what}, which is ${known} and not ${kept}`]
}

function placesOf(all: readonly { readonly host: string; readonly port: number }[]): string {
  return all
    .map(({ host, port }) => `${host}:${port}`)
    .sort()
    .join(' ')
}

function idsOf(all: readonly { readonly runId: string }[]): string {
  return all
    .map(({ runId }) => runId)
    .sort()
    .join(' ')
}
