/**
 * When a master could hear from each of its replicas: while the replica ran, followed this node, and its
 * messages arrived. What a replica had sent into a partition arrives after that, whether it still runs or not.
 * What the node sends has to arrive as well: without TCP's acknowledgements the replica soon sends nothing new.
 */
import { Troubles } from '../../history/checkers/troubles.ts'
import type { FinishedRun } from './finished-run.ts'

/** The first wait for a retransmission, and the time on the way. */
const RETRANSMISSION_MS = 1_000
/**
 * A replica acknowledges once a second, and once more, because it does not learn that it was heard.
 */
const LAST_WORD_MS = 1_500

interface Span {
  readonly fromMs: number
  untilMs: number
}

export class Contacts {
  readonly #spans = new Map<string, Span[]>()
  readonly #closedSinceMs = new Map<string, number>()

  constructor(master: string, { topology, history }: FinishedRun) {
    const group = topology.nodes.find(({ name }) => name === master)?.group
    const others = topology.nodes.filter((node) => node.name !== master && node.group === group)
    const troubles = new Troubles(topology)
    const running = new Set<string>()
    const followed = new Map<string, string>()
    for (const happening of history.happenings) {
      troubles.note(happening)
      const { process = '' } = happening
      if (happening.kind === 'status') {
        if (happening.status === 'running') running.add(process)
        else running.delete(process)
      } else if (happening.kind === 'role') {
        const { role } = happening
        followed.set(process, role.kind === 'replica' ? history.nameOf(role.master) : '')
      } else if (happening.kind !== 'fault') continue
      for (const { name } of others) {
        const follows = followed.get(name) === master
        const isHeard = troubles.passes(name, master)
        const isOpen = isHeard && troubles.passes(master, name)
        this.#noteWay(name, isOpen, happening.atMs)
        const isThere = running.has(name) && follows
        const lastMs = isThere && isHeard ? happening.atMs + LAST_WORD_MS : happening.atMs
        // One that goes on acknowledges what had come before, even if nothing reaches it any more.
        const goesOn = happening.kind === 'status' && process === name && isThere && !isOpen
        if (goesOn) this.#spansOf(name).unshift({ fromMs: happening.atMs, untilMs: lastMs })
        this.#mark(name, isThere && isOpen, happening.atMs, lastMs)
      }
    }
  }

  /** The replicas that the master could hear from at some time in between. */
  between(fromMs: number, untilMs: number): readonly string[] {
    const meets = (span: Span): boolean => span.fromMs <= untilMs && span.untilMs >= fromMs
    return [...this.#spans].filter(([, spans]) => spans.some(meets)).map(([replica]) => replica)
  }

  /**
   * What a closed path held back comes with the next retransmission: after at most the same time
   * again.
   */
  #noteWay(replica: string, isOpen: boolean, atMs: number): void {
    const sinceMs = this.#closedSinceMs.get(replica)
    if (!isOpen && sinceMs === undefined) this.#closedSinceMs.set(replica, atMs)
    if (!isOpen || sinceMs === undefined) return
    this.#closedSinceMs.delete(replica)
    const untilMs = atMs + (atMs - sinceMs) + RETRANSMISSION_MS
    this.#spansOf(replica).unshift({ fromMs: atMs, untilMs })
  }

  #spansOf(replica: string): Span[] {
    const spans = this.#spans.get(replica) ?? []
    this.#spans.set(replica, spans)
    return spans
  }

  #mark(replica: string, isHeard: boolean, atMs: number, lastMs: number): void {
    const spans = this.#spansOf(replica)
    const last = spans.at(-1)
    const isOpen = last !== undefined && last.untilMs === Number.POSITIVE_INFINITY
    if (isHeard && !isOpen) spans.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY })
    else if (!isHeard && isOpen) last.untilMs = lastMs
  }
}
