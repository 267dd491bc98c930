/**
 * Joins the two ways in which a node's role becomes known: from the node itself, at the moment it
 * changes, and from its answer to the observer, which alone tells whether the link to the master is
 * up.
 */
import { type Address, isSameAddress } from '../../base/ip.ts'
import type { NodeRole } from '../../history/happening.ts'

export class RoleWitness {
  readonly #tell: (role: NodeRole) => void
  #replicaof: string | undefined
  /** The address in it; undefined if the node is a master. */
  #master: Address | undefined
  #told: NodeRole | undefined
  /** Counts the changes that the node itself has reported. */
  #turn = 0

  constructor(tell: (role: NodeRole) => void) {
    this.#tell = tell
  }

  /** The process has started again: nothing from its earlier life counts. */
  forget(): void {
    this.#turn++
    this.#replicaof = undefined
    this.#told = undefined
  }

  /** `host port` of the master the node follows, or empty: checked after each of its inputs. */
  follows(replicaof: string): void {
    if (replicaof === this.#replicaof) return
    this.#turn++
    this.#replicaof = replicaof
    const master = readAddress(replicaof)
    this.#master = master
    this.#news(
      master === undefined ? { kind: 'master' } : { kind: 'replica', master, isLinkUp: false },
    )
  }

  /**
   * The node is being asked for its ROLE now: returns the function that takes the answer. The
   * answer counts only if the node has not changed its master since: a node that hung answers late,
   * and may follow the same master again by then, over another link.
   */
  asked(): (role: NodeRole) => void {
    const turn = this.#turn
    return (role) => {
      if (turn === this.#turn) this.#answered(role)
    }
  }

  #answered(role: NodeRole): void {
    if (this.#replicaof === undefined || isSame(role, this.#master)) this.#news(role)
  }

  #news(role: NodeRole): void {
    if (isEqual(role, this.#told)) return
    this.#told = role
    this.#tell(role)
  }
}

function isSame(role: NodeRole, master: Address | undefined): boolean {
  if (role.kind === 'master' || master === undefined)
    return (role.kind === 'master') === (master === undefined)
  return isSameAddress(role.master, master)
}

function isEqual(a: NodeRole, b: NodeRole | undefined): boolean {
  if (b === undefined || b.kind === 'master') return a.kind === b?.kind
  return isSame(a, b.master) && a.kind === 'replica' && a.isLinkUp === b.isLinkUp
}

function readAddress(replicaof: string): Address | undefined {
  const [host, port] = replicaof.split(' ')
  if (host === undefined || host === '') return undefined
  return { host, port: Number(port) }
}
