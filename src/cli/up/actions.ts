/** What the keys do to the cluster. Each says in one line what it did, or why it did nothing. */
import type { Cluster } from './cluster.ts'
import type { Member } from './member.ts'

export const ACTION_KEYS = ['k', 'p', 'c', 'b'] as const

export type ActionKey = (typeof ACTION_KEYS)[number]

export interface Done {
  /** What was done, or why nothing was. */
  readonly text: string
  readonly hasHarmed: boolean
}

export class Actions {
  readonly #cluster: Cluster
  readonly #masterPort: () => number | undefined
  /** The nodes something was done to, the last one last. */
  #harmed: Member[] = []

  constructor(cluster: Cluster, masterPort: () => number | undefined) {
    this.#cluster = cluster
    this.#masterPort = masterPort
  }

  perform(key: ActionKey): Done {
    return key === 'b' ? { text: this.#bringBack(), hasHarmed: false } : this.#harm(key)
  }

  /** The node something was done to last. */
  get lastHarmed(): number | undefined {
    return this.#harmed.at(-1)?.port
  }

  #harm(key: Exclude<ActionKey, 'b'>): Done {
    const master = this.#cluster.nodes.find(({ port }) => port === this.#masterPort())
    if (master === undefined) return { text: 'no master is known at the moment', hasHarmed: false }
    const obstacle = this.#obstacle(key, master)
    if (obstacle !== undefined) return { text: obstacle, hasHarmed: false }
    this.#harmed = [...this.#harmed.filter((member) => member !== master), master]
    return { text: HARM[key](master), hasHarmed: true }
  }

  #obstacle(key: ActionKey, master: Member): string | undefined {
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
  k(master: Member) {
    master.kill()
    return `you kill the master ${master.port} (SIGKILL)`
  },
  p(master: Member) {
    master.pause()
    return `you pause the master ${master.port} (SIGSTOP)`
  },
  c(master: Member) {
    master.cut()
    return `you cut the master ${master.port} off from the rest; clients still reach it`
  },
} as const

const RETURN = {
  dead: (port: number) => `you start ${port} again`,
  paused: (port: number) => `you let ${port} go on (SIGCONT)`,
  'cut off': (port: number) => `you connect ${port} with the rest again`,
  running: (port: number) => `${port} runs already`,
} as const
