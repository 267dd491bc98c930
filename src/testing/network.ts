/** What a test does to the ways between the members, and between them and their clients. */
import type { Member, Partition, Party, Slowness } from './api.ts'
import { checkMs, checkNames, checkSwitch, shown } from './arguments.ts'
import { CLIENTS, type Switchboard } from './switchboard.ts'

export interface ClusterNetworkStart {
  readonly switchboard: Switchboard
  readonly members: () => readonly Member[]
  readonly note: (text: string) => void
}

const PARTITION = ['from', 'to', 'oneWay']
/** A member that is cut off is one end already. */
const FROM_MEMBER = ['to', 'oneWay']

/** Refuses the parties alone: they belong to a name. */
export function checkFromMember(about: string, options: unknown): void {
  const isParty = typeof options === 'string' || Array.isArray(options) || isMember(options)
  if (isParty)
    throw new TypeError(`${about}: the others, as in { to: 'n2' }, not ${partyText(options)} alone`)
  checkNames(about, options, FROM_MEMBER)
}

function isMember(value: unknown): value is Member {
  return typeof value === 'object' && value !== null && 'kill' in value && 'name' in value
}

function partyText(value: unknown): string {
  return isMember(value) ? value.name : shown(value)
}

export class ClusterNetwork {
  readonly #start: ClusterNetworkStart

  constructor(start: ClusterNetworkStart) {
    this.#start = start
  }

  partition(partition: Partition): void {
    checkNames('partition', partition, PARTITION)
    const ways = this.#waysOf(partition)
    this.#start.note(`cut: ${this.#textOf(partition)}`)
    for (const [from, to] of ways) this.#start.switchboard.way(from, to).cut()
  }

  slow(slowness: Slowness): void {
    checkNames('slow', slowness, [...PARTITION, 'ms'])
    const { ms, ...partition } = slowness
    checkMs('slow', ms)
    const ways = this.#waysOf(partition)
    this.#start.note(`slow by ${ms} ms: ${this.#textOf(partition)}`)
    for (const [from, to] of ways) this.#start.switchboard.way(from, to).slow(ms)
  }

  heal(): void {
    this.#start.note('the network is healed')
    this.#start.switchboard.heal()
  }

  /** Whether something that goes from one to the other, or back, does not arrive. */
  isCut(one: Pick<Member, 'name'>, other: Pick<Member, 'name'>): boolean {
    const { switchboard } = this.#start
    return (
      switchboard.way(one.name, other.name).isCut || switchboard.way(other.name, one.name).isCut
    )
  }

  #waysOf({ from, to, oneWay = false }: Partition): [string, string][] {
    checkSwitch('oneWay', oneWay)
    const some = this.#namesOf(from)
    const others = to === undefined ? this.#allBut(some) : this.#namesOf(to)
    const pairs = some.flatMap((one) => others.map((other): [string, string] => [one, other]))
    const ways = pairs.filter(([one, other]) => one !== other)
    if (ways.length === 0) {
      throw new TypeError(
        `there is no way from ${some.join(' ') || 'nobody'} to ${others.join(' ') || 'nobody'}`,
      )
    }
    return oneWay ? ways : [...ways, ...ways.map(([one, other]): [string, string] => [other, one])]
  }

  #namesOf(parties: Party | readonly Party[]): string[] {
    const list = (Array.isArray(parties) ? parties : [parties]) as readonly Party[]
    const known = [...this.#start.members().map(({ name }) => name), CLIENTS]
    return list.map((party) => {
      const name = typeof party === 'string' ? party : party?.name
      if (known.includes(name)) return name
      const found = name === undefined ? `no party ${shown(party)}` : `no party '${name}'`
      throw new TypeError(`there is ${found}; there are ${known.join(', ')}`)
    })
  }

  #allBut(names: readonly string[]): string[] {
    const all = [...this.#start.members().map(({ name }) => name), CLIENTS]
    return all.filter((name) => !names.includes(name))
  }

  #textOf({ from, to, oneWay = false }: Partition): string {
    const others = to === undefined ? 'all others' : this.#namesOf(to).join(' ')
    return `${this.#namesOf(from).join(' ')} ${oneWay ? '->' : '-'} ${others}`
  }
}
