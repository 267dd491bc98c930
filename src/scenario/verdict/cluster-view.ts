/** The cluster as it can be seen from outside at one moment of a run. */

import type { Happening, NodeRole, ProcessStatus } from '../../history/happening.ts'
import type { Write } from '../../history/writes.ts'
import type { RunHistory } from '../world.ts'

/** A node's answer to the last write that it answered: `OK`, or the code of its error. */
export type WriteAnswer = string

export class ClusterView {
  readonly #nameOf: RunHistory['nameOf']
  readonly #status = new Map<string, ProcessStatus>()
  readonly #masters = new Map<string, string>()
  readonly #roles = new Map<string, NodeRole>()
  readonly #epochs = new Map<string, number>()
  readonly #answers = new Map<string, WriteAnswer>()

  constructor(nameOf: RunHistory['nameOf']) {
    this.#nameOf = nameOf
  }

  isRunning(process: string): boolean {
    return this.#status.get(process) === 'running'
  }

  /** The node (or address) that this Sentinel names as master. */
  masterAccordingTo(sentinel: string, group: string): string | undefined {
    return this.#masters.get(`${sentinel} ${group}`)
  }

  /** The node that all running Sentinels of these name; undefined if they differ or none runs. */
  agreedMaster(sentinels: readonly string[], group: string): string | undefined {
    const running = sentinels.filter((sentinel) => this.isRunning(sentinel))
    const named = new Set(running.map((sentinel) => this.masterAccordingTo(sentinel, group)))
    return named.size === 1 ? [...named][0] : undefined
  }

  /**
   * The config epoch this Sentinel announced last; it outlives the process as the Sentinel's state
   * does.
   */
  configEpoch(sentinel: string, group: string): number | undefined {
    return this.#epochs.get(`${sentinel} ${group}`)
  }

  role(node: string): NodeRole | undefined {
    return this.isRunning(node) ? this.#roles.get(node) : undefined
  }

  /** The node this one follows, if its link to it is up. */
  connectedTo(node: string): string | undefined {
    const role = this.role(node)
    return role?.kind === 'replica' && role.isLinkUp ? this.#nameOf(role.master) : undefined
  }

  lastAnswer(node: string): WriteAnswer | undefined {
    return this.#answers.get(node)
  }

  apply(change: ViewChange): void {
    if (change.kind === 'answer') {
      this.#answers.set(change.node, change.answer)
      return
    }
    const { process, what } = change
    if (what.kind === 'status') this.#status.set(process, what.status)
    if (what.kind === 'role') this.#roles.set(process, what.role)
    if (what.kind === 'view') {
      this.#masters.set(`${process} ${what.group}`, this.#nameOf(what.master))
    }
    if (what.kind === 'hello') this.#epochs.set(`${process} ${what.group}`, what.configEpoch)
    // A process that starts again has said nothing yet.
    if (what.kind === 'status' && what.status === 'down') this.#forget(process)
  }

  #forget(process: string): void {
    this.#roles.delete(process)
    this.#answers.delete(process)
    for (const key of this.#masters.keys()) {
      if (key.startsWith(`${process} `)) this.#masters.delete(key)
    }
  }
}

export type ViewChange =
  | {
      readonly kind: 'told'
      readonly atMs: number
      readonly process: string
      readonly what: Happening
    }
  | {
      readonly kind: 'answer'
      readonly atMs: number
      readonly node: string
      readonly answer: WriteAnswer
    }

/** Everything that changes the view, in order of time. */
export function changesOf(
  history: Pick<RunHistory, 'happenings' | 'writes'>,
): readonly ViewChange[] {
  const told = history.happenings.flatMap((what) => toChange(what) ?? [])
  return [...told, ...answersOf(history.writes)].sort((a, b) => a.atMs - b.atMs)
}

/** Undefined: the happening changes nothing that the view shows. */
export function toChange(what: Happening): ViewChange | undefined {
  if (what.process === undefined || !TELLING.has(what.kind)) return undefined
  return { kind: 'told', atMs: what.atMs, process: what.process, what }
}

const TELLING: ReadonlySet<Happening['kind']> = new Set(['status', 'role', 'view', 'hello'])

/** Only answers that differ from the node's answer before. */
function answersOf(writes: readonly Write[]): ViewChange[] {
  const last = new Map<string, WriteAnswer>()
  const answered = writes.flatMap((write) => toAnswer(write) ?? [])
  answered.sort((a, b) => a.atMs - b.atMs)
  return answered.filter(({ node, answer }) => {
    const isNew = last.get(node) !== answer
    last.set(node, answer)
    return isNew
  })
}

function toAnswer(write: Write): (ViewChange & { kind: 'answer' }) | undefined {
  const { node, outcome } = write
  if (outcome.kind === 'acknowledged') {
    return { kind: 'answer', atMs: outcome.atMs, node, answer: 'OK' }
  }
  if (outcome.kind !== 'refused') return undefined
  return { kind: 'answer', atMs: outcome.atMs, node, answer: outcome.text.split(' ')[0] ?? '' }
}
