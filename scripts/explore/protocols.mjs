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
  handover: { directives: COMMON, leader: (trio) => new Handover(trio), isMaster },
}
