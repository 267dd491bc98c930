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

  perform(key: UpActionKey): Done {
    return key === 'b' ? { text: this.#bringBack(), harm: undefined } : this.#harm(key)
  }

  /** The port of the node that was harmed last. */
  get lastHarmed(): number | undefined {
    return this.#harmed.at(-1)?.port
  }

  #harm(key: Exclude<UpActionKey, 'b'>): Done {
    const master = this.#cluster.nodes.find(({ port }) => port === this.#masterPort())
    if (master === undefined) return { text: 'no master is known at the moment', harm: undefined }
    const obstacle = this.#obstacle(key, master)
    if (obstacle !== undefined) return { text: obstacle, harm: undefined }
    this.#harmed = [...this.#harmed.filter((member) => member !== master), master]
    return { text: HARM[key](master), harm: { port: master.port, cause: CAUSES[key] } }
  }

  #obstacle(key: UpActionKey, master: DemoMember): string | undefined {
    if (master.state !== 'running') return `${master.port} is ${master.state} already`
    if (key === 'c' && !this.#cluster.canCut) return 'this system has only one loopback address'
    if (key === 'p' && process.platform === 'win32') return 'this system cannot pause a process'
    return undefined
  }

  #bringBack(): string {
    const member = this.#harmed.pop() ?? this.#cluster.lost().at(-1)
    if (member === undefined) return 'nothing is lost'
    const { port, state } = member
    member.bringBack()
    return RETURN[state](port)
  }
}

const HARM = {
  k(master: DemoMember) {
    master.kill()
    return `you kill the master ${master.port} (SIGKILL)`
  },
  p(master: DemoMember) {
    master.pause()
    return `you pause the master ${master.port} (SIGSTOP)`
  },
  c(master: DemoMember) {
    master.cut()
    return `you cut the master ${master.port} off from the rest; clients still reach it`
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
