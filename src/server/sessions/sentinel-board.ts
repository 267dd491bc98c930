/**
 * What the Sentinels say of this node: their ids, which master each of them named last, and whether it
 * is still there. A master cannot know by itself that it has been replaced; its Sentinels tell it every
 * two seconds, in the hellos that they publish here for one another. GET /primary is answered from this.
 *
 * A Sentinel counts as present while the connection of its hello is open and used as often as usual. How
 * long the others wait before they replace this node (down-after) it is not told, but Sentinels whose
 * down-after is short send more PINGs: a silence of several of them means that we are cut off, or soon to
 * be replaced. Any client that may publish can write a hello, so there is a bound, and nothing but a
 * probe believes it.
 */
import { canonicalIp } from '../../base/ip.ts'
import type { ConnectionId } from '../port.ts'
import type { Settings } from '../settings/settings.ts'
import type { ClientSession } from './session.ts'
import type { Sessions } from './sessions.ts'

export const HELLO_CHANNEL = '__sentinel__:hello'

/** Far more than any group has. */
const SENTINELS_MAX = 64
/** A Sentinel that has said nothing for so long has been taken away. */
const FORGOTTEN_MS = 3_600_000
/** Three hello periods. */
const HELLO_MS = 6_000
/** A PING comes every second at least, and may be on its way for a while. */
const HEARD_MS = 2_500
/** Our Sentinels send five PINGs in a down-after (pingIntervalMs): one is spared for late ones. */
const USUAL_INTERVALS = 4
/** A Sentinel or a machine may well be late by so much. */
const HEARD_LEAST_MS = 250
const OWN_PORTS = ['port', 'tls-port', 'replica-announce-port'] as const

export interface SentinelWord {
  readonly runId: string
  readonly host: string
  readonly port: number
  readonly group: string
  readonly masterHost: string
  readonly masterPort: number
  readonly configEpoch: number
  readonly atMs: number
  /** The connection it was said on. */
  readonly connection: ConnectionId
  /** How often that connection had been used before. */
  readonly inputs: number
  /** How far apart its inputs usually are: the average of the time since the last hello, and of the one before. */
  readonly intervalsMs: readonly number[]
}

export interface SentinelPresence extends SentinelWord {
  readonly isPresent: boolean
  readonly namesUs: boolean
}

export class SentinelBoard {
  readonly #settings: Settings
  readonly #sessions: Sessions
  /** By run id; the word that is oldest comes first. */
  readonly #words = new Map<string, SentinelWord>()

  constructor(settings: Settings, sessions: Sessions) {
    this.#settings = settings
    this.#sessions = sessions
  }

  /** Notes a hello that a client published; what is no hello is ignored, as is our master's stream. */
  note(session: ClientSession, payload: string, nowMs: number): void {
    if (this.#sessions.get(session.id) !== session) return
    const said = parseWord(payload)
    if (said === undefined) return
    const before = this.#words.get(said.runId)
    const word = { ...said, ...usage(session, before, nowMs) }
    this.#words.delete(word.runId)
    this.#words.set(word.runId, word)
    for (const [runId, { atMs }] of this.#words) {
      const isOver = this.#words.size > SENTINELS_MAX || nowMs - atMs > FORGOTTEN_MS
      if (!isOver) return
      this.#words.delete(runId)
    }
  }

  /** All Sentinels that have said anything within the last hour. */
  present(nowMs: number): readonly SentinelPresence[] {
    return [...this.#words.values()]
      .filter(({ atMs }) => nowMs - atMs <= FORGOTTEN_MS)
      .map((word) => this.#judge(word, nowMs))
  }

  #judge(word: SentinelWord, nowMs: number): SentinelPresence {
    const session = this.#sessions.get(word.connection)
    const isHeard = session !== undefined && nowMs - session.lastInputAtMs <= heardMs(word)
    const isPresent = isHeard && nowMs - word.atMs <= HELLO_MS
    return { ...word, isPresent, namesUs: session !== undefined && this.#isUs(word, session) }
  }

  /** By the end of the connection that the hello came on, or as this node announces itself. */
  #isUs({ masterHost, masterPort }: SentinelWord, { ends }: ClientSession): boolean {
    const announced = this.#settings.text('replica-announce-ip')
    const ports = OWN_PORTS.map((name) => this.#settings.int(name))
    if (masterPort !== ends.localPort && !ports.includes(masterPort)) return false
    // A host name can belong to any machine: then only the port is compared.
    if (canonicalIp(masterHost) === undefined) return true
    return masterHost === ends.localHost || masterHost === announced
  }
}

type Usage = Pick<SentinelWord, 'connection' | 'atMs' | 'inputs' | 'intervalsMs'>

function usage({ id, inputs }: ClientSession, before: Usage | undefined, atMs: number): Usage {
  const own = { connection: id, atMs, inputs }
  if (before?.connection !== id) return { ...own, intervalsMs: [] }
  const intervalMs = (atMs - before.atMs) / Math.max(1, inputs - before.inputs)
  return { ...own, intervalsMs: [intervalMs, ...before.intervalsMs.slice(0, 1)] }
}

/** How long the Sentinel may be silent. The larger average counts: a burst of PINGs is no habit. */
function heardMs({ intervalsMs }: Usage): number {
  if (intervalsMs.length === 0) return HEARD_MS
  const usualMs = USUAL_INTERVALS * Math.max(...intervalsMs)
  return Math.min(HEARD_MS, Math.max(HEARD_LEAST_MS, usualMs))
}

function parseWord(payload: string): Omit<SentinelWord, keyof Usage> | undefined {
  if (payload.length > 4_096) return undefined
  const words = payload.split(',')
  const [host = '', port, runId = '', , group = '', masterHost = '', masterPort, epoch] = words
  const numbers = [port, masterPort, epoch].map(Number)
  if (words.length !== 8 || !/^[0-9a-f]{40}$/.test(runId)) return undefined
  if (!numbers.every((one) => Number.isSafeInteger(one) && one >= 0)) return undefined
  const [ownPort = 0, theMasterPort = 0, configEpoch = 0] = numbers
  const master = { masterHost, masterPort: theMasterPort }
  return { runId, host, port: ownPort, group, ...master, configEpoch }
}
