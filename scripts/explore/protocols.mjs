/** How leaders fail over, by kind of replication. */
import { hostOf } from './trio.mjs'

/** Two of three agree. */
const MAJORITY = 2

/** Sentinel's way: a majority of the nodes is asked how far they are, and the one that is furthest is promoted. */
class AsyncLeader {
  master
  #trio
  #answers = new Map()
  #ordered = new Set()

  constructor(trio) {
    this.#trio = trio
  }

  choices() {
    const nodes = this.#trio.nodes.filter(({ isUp }) => isUp).map(({ index }) => index)
    if (this.master !== undefined) {
      return nodes.filter((index) => !this.#ordered.has(index)).map((index) => `turn ${index}`)
    }
    const asks = nodes.filter((index) => !this.#answers.has(index)).map((index) => `ask ${index}`)
    return this.#answers.size < MAJORITY ? asks : [...asks, 'promote']
  }

  choose(word, at) {
    if (word === 'ask') {
      const offset = Number(
        /(?:slave_repl_offset|master_repl_offset):(\d+)/.exec(this.#info(at))?.[1],
      )
      this.#answers.set(at, offset)
      return offset
    }
    if (word === 'turn') {
      this.#ordered.add(at)
      return JSON.stringify(this.#trio.nodes[at].ask('REPLICAOF', hostOf(this.master), '6379'))
    }
    const [best] = [...this.#answers]
      .filter(([index]) => this.#trio.nodes[index].isUp)
      .sort((a, b) => b[1] - a[1])
    if (best === undefined) return 'nobody'
    this.master = best[0]
    this.#ordered.add(this.master)
    return JSON.stringify(this.#trio.nodes[this.master].ask('REPLICAOF', 'NO', 'ONE'))
  }

  #info(at) {
    return this.#trio.nodes[at].ask('INFO', 'replication') ?? ''
  }
}

/** A planned handover: the master itself waits for its heir, and no write may be lost. */
class Handover {
  #trio
  #isOrdered = false

  constructor(trio) {
    this.#trio = trio
  }

  choices() {
    return this.#isOrdered ? [] : ['order 0']
  }

  choose(_word, at) {
    this.#isOrdered = true
    return JSON.stringify(this.#trio.nodes[at].ask('FAILOVER', 'TO', hostOf(1), '6379'))
  }
}

const LAYOUT = ['1', 'linearizable', ...[0, 1, 2].map((index) => `${hostOf(index)}:6379`)]

/**
 * Fences a majority of the voters in its term and promotes the newest history, as a Sentinel of a strict group does. The
 * others are told to follow when the promotion is sent, so either may arrive first.
 */
class StrictLeader {
  master
  #trio
  #term
  #answers = new Map()
  #refused = new Set()
  #heir
  #ordered = new Set()

  constructor(trio, number) {
    this.#trio = trio
    this.#term = [`${number + 1}`, `leader${number}`]
  }

  choices() {
    const nodes = this.#trio.nodes.filter(({ isUp }) => isUp).map(({ index }) => index)
    if (this.#heir !== undefined) return this.#orders(nodes)
    const asks = nodes
      .filter((index) => !this.#answers.has(index) && !this.#refused.has(index))
      .map((index) => `ask ${index}`)
    if (this.#voters().length < MAJORITY) return asks
    return [...asks, ...this.#orders(nodes, this.#newest())]
  }

  #orders(nodes, heir = this.#heir) {
    const due = nodes.filter((index) => !this.#ordered.has(index))
    return due.map((index) => (index === heir ? 'promote' : `turn ${index}`))
  }

  choose(word, at) {
    if (word === 'ask') return this.#ask(at)
    this.#heir ??= this.#newest()
    if (word === 'turn') {
      this.#ordered.add(at)
      return JSON.stringify(this.#trio.nodes[at].ask('REPLICAOF', hostOf(this.#heir), '6379'))
    }
    this.#ordered.add(this.#heir)
    const reply = this.#trio.nodes[this.#heir].ask('FENCE', ...this.#term, 'PROMOTE')
    if (reply === 'OK') this.master = this.#heir
    return `${this.#heir} ${JSON.stringify(reply)}`
  }

  #newest() {
    const [best] = this.#voters().sort(
      ([, a], [, b]) => b.historyTerm - a.historyTerm || b.offset - a.offset,
    )
    return best[0]
  }

  #ask(at) {
    const reply = this.#trio.nodes[at].ask('FENCE', ...this.#term, 'ASK', ...LAYOUT)
    if (!Array.isArray(reply)) {
      this.#refused.add(at)
      return JSON.stringify(reply)
    }
    const [, historyTerm, offset, standing] = reply
    this.#answers.set(at, { historyTerm: Number(historyTerm), offset: Number(offset), standing })
    return reply.slice(1, 4).join(' ')
  }

  #voters() {
    return [...this.#answers].filter(([, { standing }]) => standing === 'voter')
  }
}

function beginStrict(trio) {
  for (const member of trio.nodes) member.ask('FENCE', '1', 'leader0', 'ASK', ...LAYOUT)
  trio.nodes[0].ask('FENCE', '1', 'leader0', 'PROMOTE')
}

const saysOf = (member, field) =>
  new RegExp(`${field}:(\\w+)`).exec(member.ask('INFO', 'replication') ?? '')?.[1]

const COMMON = {
  appendonly: 'yes',
  'repl-diskless-sync-delay': '0',
  databases: '1',
  'repl-backlog-size': '16kb',
}

const isMaster = (member) => member.ask('ROLE')?.[0] === 'master'

export const PROTOCOLS = {
  async: {
    directives: COMMON,
    leader: (trio) => new AsyncLeader(trio),
    isMaster,
  },
  strict: {
    directives: { ...COMMON, 'sync-replication': 'yes' },
    begin: beginStrict,
    isReady: ({ nodes }) => nodes.every((member) => saysOf(member, 'sync_voter') === '1'),
    leader: (trio, number) => new StrictLeader(trio, number),
    isMaster: (member) => saysOf(member, 'sync_state') === 'master',
  },
  handover: { directives: COMMON, leader: (trio) => new Handover(trio), isMaster },
}
