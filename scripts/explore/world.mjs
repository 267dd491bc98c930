/** A trio with a client of each node and leaders that order failovers: what can happen next, and what must not. */

import { findLinearOrder } from '../../dist/history/shared/linear-order.js'
import { PROTOCOLS } from './protocols.mjs'
import { Trio } from './trio.mjs'

const KEY = 'list'
/** Longer than any bound of a node for what it waits for. */
const PASS_MS = 5_000
/** More than a handshake with a partial resynchronisation takes. */
const LINK_STEPS_MAX = 40

export class World {
  #protocol
  #bound
  #trio
  /** What each node, each leader and the clients met, in order. */
  #met = ['', '', '', '']
  #leaders = []
  #writes = 0
  #reads = 0
  #deaths = 0
  #passes = 0
  #events = 0
  #operations = []

  constructor(replication, bound) {
    this.#bound = bound
    this.#protocol = PROTOCOLS[replication]
    this.#trio = new Trio(this.#protocol.directives)
    this.#protocol.begin?.(this.#trio)
    const isReady = this.#protocol.isReady ?? (() => true)
    this.#trio.settle((trio) => isWhole(trio) && isReady(trio))
  }

  choices() {
    const { nodes } = this.#trio
    const choices = this.#trio.ways().map(([from, to]) => `deliver ${from} ${to}`)
    for (const [number, leader] of this.#leaders.entries()) {
      for (const word of leader.choices()) choices.push(`leader ${number} ${word}`)
    }
    if (this.#writes < this.#bound.writes) {
      for (const { index, isUp } of nodes)
        if (isUp && this.#isMaster(index)) choices.push(`write ${index}`)
    }
    if (this.#reads < this.#bound.reads) {
      for (const { index, isUp } of nodes)
        if (isUp && this.#isMaster(index)) choices.push(`read ${index}`)
    }
    if (this.#leaders.length < this.#bound.leaders) choices.push('elect')
    for (const { index, isUp } of nodes) {
      if (!isUp) choices.push(`start ${index}`)
      else if (this.#deaths < this.#bound.deaths) choices.push(`kill ${index}`)
    }
    if (this.#passes < this.#bound.passes) choices.push('pass')
    return choices
  }

  choose(choice) {
    const [what, ...args] = choice.split(' ')
    const at = Number(args[0])
    if (what === 'deliver') {
      const to = Number(args[1])
      this.#note(to, `${at}: ${this.#trio.deliver(at, to)}`)
    } else if (what === 'write') this.#ask(at, ['RPUSH', KEY, `v${++this.#writes}`])
    else if (what === 'read') {
      this.#reads++
      this.#ask(at, ['LRANGE', KEY, '0', '-1'])
    } else if (what === 'elect') this.#elect()
    else if (what === 'leader') this.#lead(at, args[1], Number(args[2]))
    else if (what === 'kill') {
      this.#deaths++
      this.#trio.nodes[at].die()
      this.#note(at, 'dies')
    } else if (what === 'start') {
      this.#trio.nodes[at].start()
      this.#note(at, 'starts')
    } else {
      this.#passes++
      this.#trio.pass(PASS_MS)
      for (const index of [0, 1, 2]) this.#note(index, 'time')
    }
    this.#hear()
  }

  #elect() {
    const epoch = this.#leaders.length + 1
    this.#leaders.push(this.#protocol.leader(this.#trio, epoch))
    this.#met.push('')
  }

  /** A leader does what it does to a node at once; what it waits with is when. A new master is read at once. */
  #lead(number, word, at) {
    const heard = this.#leaders[number].choose(word, at)
    this.#note(4 + number, `${word} ${at} ${heard}`)
    if (!Number.isNaN(at)) this.#note(at, `leader ${number} ${word}`)
    if (word === 'turn' && this.#bound.wholeLinks) this.#connect(at)
    const { master } = this.#leaders[number]
    if (word === 'promote' && master !== undefined)
      this.#ask(this.#leaders[number].master, ['LRANGE', KEY, '0', '-1'])
  }

  /** What the node and its new master say to each other until both are quiet is one step. */
  #connect(at) {
    for (let rest = LINK_STEPS_MAX; rest > 0; rest--) {
      this.#trio.pass(0)
      const way = this.#trio.ways().find((ends) => ends.includes(at))
      if (way === undefined) return
      const [from, to] = way
      this.#note(to, `${from}: ${this.#trio.deliver(from, to)}`)
    }
  }

  #ask(at, argv) {
    const member = this.#trio.nodes[at]
    if (!member.isUp) return
    const client = member.client()
    const operation = {
      client: `c${this.#operations.length}`,
      node: `n${at + 1}`,
      commands: [argv],
    }
    const askedAtMs = ++this.#events
    this.#operations.push({
      operation: { ...operation, askedAtMs },
      client,
      answeredAtMs: undefined,
    })
    this.#note(at, argv.join(' '))
    this.#note(3, `${argv.join(' ')} at ${at}`)
    client.send(argv)
  }

  /** Notes the answers that have come. */
  #hear() {
    for (const asked of this.#operations) {
      if (asked.answeredAtMs !== undefined || asked.client.replies.length === 0) continue
      asked.answeredAtMs = ++this.#events
      this.#note(3, `${asked.operation.client} ${JSON.stringify(asked.client.replies[0])}`)
    }
  }

  /** In words; undefined: everything is as it must be. */
  violation() {
    const history = this.#operations.flatMap(({ operation, client, answeredAtMs }) => {
      const [told] = client.replies
      if (answeredAtMs === undefined)
        return [{ ...operation, answeredAtMs: undefined, answers: undefined }]
      if (told?.error !== undefined) {
        return isRefusal(told.error)
          ? []
          : [{ ...operation, answeredAtMs: undefined, answers: undefined }]
      }
      return [{ ...operation, answeredAtMs, answers: [told] }]
    })
    const verdict = findLinearOrder(history)
    if (verdict.kind === 'broken') {
      const { node, commands, answers } = verdict.operation
      return `no order: ${node} told ${JSON.stringify(answers)} for ${commands[0].join(' ')}`
    }
    return this.#protocol.violation?.(this.#trio)
  }

  key() {
    const counts = [this.#writes, this.#reads, this.#deaths, this.#passes]
    const up = this.#trio.nodes.map(({ isUp }) => isUp)
    return JSON.stringify([counts, up, this.#met])
  }

  #isMaster(index) {
    return this.#protocol.isMaster(this.#trio.nodes[index])
  }

  #note(place, text) {
    this.#met[place] += `${text}\n`
  }
}

function isWhole(trio) {
  const [master, ...replicas] = trio.nodes
  const linked = replicas.every((member) => member.ask('ROLE')?.[3] === 'connected')
  return linked && master.ask('ROLE')?.[2]?.length === replicas.length
}

function isRefusal(error) {
  return /^(READONLY|LOADING|MASTERDOWN|NOREPLICAS|NOSYNCREPLICAS|MISCONF)/.test(error)
}
