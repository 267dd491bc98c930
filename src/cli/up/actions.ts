/**
 * What the keys do to the cluster. Each action says in one line what it did, or why it did nothing.
 */
import type { DemoCluster } from './cluster.ts'
import type { DemoMember } from './member.ts'

export const ACTION_KEYS = ['k', 'p', 'c', 'b'] as const

export type UpActionKey = (typeof ACTION_KEYS)[number]

export interface Done {
  /** What the action did, or why it did nothing. */
  readonly text: string
  /** The harm that was done, and to which port; undefined: none. */
  readonly harm: { readonly port: number; readonly cause: string } | undefined
  /** Nothing was done. */
  readonly isRefused?: true
}

export class Actions {
  readonly #cluster: DemoCluster
  readonly #masterPort: () => number | undefined
  /** The nodes that were harmed, the latest last. */
  #harmed: DemoMember[] = []

  constructor(cluster: DemoCluster, masterPort: () => number | undefined) {
    this.#cluster = cluster
    this.#masterPort = masterPort
  }

  /** To the member at this port; undefined: to the master, or to the one that was harmed last. */
  perform(key: UpActionKey, port?: number): Done {
    if (port !== undefined && this.#member(port) === undefined) {
      return { text: `no member has port ${port}`, harm: undefined, isRefused: true }
    }
    return key === 'b' ? this.#bringBack(port) : this.#harm(key, port)
  }

  /** The port of the node that was harmed last. */
  get lastHarmed(): number | undefined {
    return this.#harmed.at(-1)?.port
  }

  #member(port: number | undefined): DemoMember | undefined {
    const { nodes, sentinels } = this.#cluster
    return [...nodes, ...sentinels].find((member) => member.port === port)
  }

  #harm(key: Exclude<UpActionKey, 'b'>, port: number | undefined): Done {
    const masterPort = this.#masterPort()
    const member = this.#member(port ?? masterPort)
    if (member === undefined) return refused('no master is known at the moment')
    const obstacle = this.#obstacle(key, member)
    if (obstacle !== undefined) return refused(obstacle)
    this.#harmed = [...this.#harmed.filter((one) => one !== member), member]
    const isMaster = member.port === masterPort
    const text = HARM[key](member, isMaster ? 'the master' : member.program)
    return { text, harm: isMaster ? { port: member.port, cause: CAUSES[key] } : undefined }
  }

  #obstacle(key: UpActionKey, member: DemoMember): string | undefined {
    if (member.state !== 'running') return `${member.port} is ${member.state} already`
    if (key === 'c' && member.program === 'sentinel') return 'only nodes can be cut off'
    if (key === 'c' && !this.#cluster.canCut) return 'this system has only one loopback address'
    if (key === 'p' && process.platform === 'win32') return 'this system cannot pause a process'
    return undefined
  }

  #bringBack(wanted: number | undefined): Done {
    const member = this.#member(wanted) ?? this.#harmed.at(-1) ?? this.#cluster.lost().at(-1)
    if (member === undefined) return refused('nothing is lost')
    this.#harmed = this.#harmed.filter((one) => one !== member)
    const { port, state } = member
    member.bringBack()
    return { text: RETURN[state](port), harm: undefined }
  }
}

function refused(text: string): Done {
  return { text, harm: undefined, isRefused: true }
}

const HARM = {
  k(member: DemoMember, what: string) {
    member.kill()
    return `you kill ${what} ${member.port} (SIGKILL)`
  },
  p(member: DemoMember, what: string) {
    member.pause()
    return `you pause ${what} ${member.port} (SIGSTOP)`
  },
  c(member: DemoMember, what: string) {
    member.cut()
    return `you cut ${what} ${member.port} off from the rest; clients still reach it`
  },
} as const

/** In the line of the incident. */
const CAUSES = { k: 'killed', p: 'paused', c: 'cut off' } as const

const RETURN = {
  dead: (port: number) => `you start ${port} again`,
  paused: (port: number) => `you let ${port} go on (SIGCONT)`,
  'cut off': (port: number) => `you connect ${port} with the rest again`,
  running: (port: number) => `${port} runs already`,
} as const
