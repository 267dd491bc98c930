/**
 * A vote that was told, and an epoch that was told, are never forgotten, at whatever moment the power
 * goes. Many random histories of one Sentinel; at every save of each of them the power is cut
 * before, while and after the disk takes the new state. A new Sentinel is started from what the disk can
 * hold then, and is held to everything the old one had told anyone up to that moment.
 */
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import { decodeState, encodeState } from '../../../src/config/state-file.ts'
import { DEFAULT_SENTINEL } from '../../../src/core/config.ts'
import { parseHello } from '../../../src/core/discovery/hello-format.ts'
import type { Effect } from '../../../src/core/effect.ts'
import type { Event } from '../../../src/core/event.ts'
import { startSentinel } from '../../../src/core/sentinel.ts'
import type { State } from '../../../src/core/state.ts'
import { nextWakeUpMs, step } from '../../../src/core/step.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { array, bulk, integer, type Reply } from '../../../src/resp/reply.ts'
import { MYID, MYMASTER, PEERS, REPLICAS } from '../../support/sentinel-builder.ts'
import { sized } from '../../support/sized.ts'

const HISTORIES = sized(80, 400)
const EVENTS = 50
const GROUPS = [MYMASTER, { ...MYMASTER, name: 'other', host: '10.0.1.1' }]
const CONFIG = { ...DEFAULT_SENTINEL, groups: GROUPS }

test('no told vote and no told epoch is lost by a power cut at any save of random histories', () => {
  let cuts = 0
  let votes = 0
  for (let number = 0; number < HISTORIES; number++) {
    const history = new History(createRng(`power ${number}`))
    history.play()
    cuts += history.cuts
    votes += history.told.votes.size
  }
  // The test would prove nothing if hardly anything was told or saved.
  expect(cuts).toBeGreaterThan(10 * HISTORIES)
  expect(votes).toBeGreaterThan(2 * HISTORIES)
})

/** What anybody outside has heard of this Sentinel. */
class Told {
  /** The candidate by `<group> <epoch>`. */
  readonly votes = new Map<string, string>()
  currentEpoch = 0
  readonly configEpochs = new Map<string, number>()

  vote(group: string, epoch: number, leader: string): void {
    const key = `${group} ${epoch}`
    if ((this.votes.get(key) ?? leader) !== leader) throw new Error(`two votes in ${key}`)
    this.votes.set(key, leader)
    this.epoch(epoch)
  }

  epoch(epoch: number): void {
    this.currentEpoch = Math.max(this.currentEpoch, epoch)
  }

  configEpoch(group: string, epoch: number): void {
    this.configEpochs.set(group, Math.max(this.configEpochs.get(group) ?? 0, epoch))
  }
}

class History {
  readonly told = new Told()
  cuts = 0
  readonly #rng: Rng
  #state: State
  #disk: string | undefined
  #nowMs = 1_000
  #client = 0
  /** Answers of the other side that are on their way. */
  readonly #inbox: Event[] = []

  constructor(rng: Rng) {
    this.#rng = rng
    this.#state = this.#start()
  }

  play(): void {
    for (let at = 0; at < EVENTS; at++) {
      const answer = this.#rng.chance(2, 3) ? this.#inbox.shift() : undefined
      this.#feed(answer ?? this.#somethingNew())
      // Sometimes the power really goes, and life goes on from the disk.
      if (this.#rng.chance(1, 15)) this.#state = this.#start()
    }
  }

  #start(): State {
    const saved = this.#disk === undefined ? firstState() : decode(this.#disk)
    const now = this.#now()
    const { state, effects } = startSentinel({ config: CONFIG, saved, rng: this.#rng, now })
    this.#inbox.length = 0
    this.#state = state
    this.#perform(effects)
    return state
  }

  #now() {
    return { monoMs: this.#nowMs, wallMs: this.#nowMs }
  }

  #feed(event: Event): void {
    this.#nowMs += this.#rng.below(20)
    this.#perform(step(this.#state, this.#now(), event))
  }

  /** Does a batch; at each save the power is cut in thought, and the disk is looked at. */
  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'save') this.#save(encodeState(effect.state()))
      else this.#tell(effect)
    }
    if (effects.some(({ kind }) => kind === 'save')) this.#perform(this.#saved())
  }

  #saved(): readonly Effect[] {
    return step(this.#state, this.#now(), { kind: 'saved' })
  }

  #save(text: string): void {
    // Before the rename, and as long as it is not synced: the old content may be what survives.
    if (this.#disk !== undefined) this.#expectKept(this.#disk)
    this.#expectKept(text)
    this.#disk = text
  }

  /** Held to its word after the cut, by what it saved and by what it answers. */
  #expectKept(disk: string): void {
    this.cuts++
    const saved = decode(disk)
    const { state } = startSentinel({ config: CONFIG, saved, rng: this.#rng, now: this.#now() })
    if (state.currentEpoch < this.told.currentEpoch) throw new Error('a told epoch is lost')
    for (const [name, epoch] of this.told.configEpochs) {
      if ((state.groups.get(name)?.configEpoch ?? 0) < epoch)
        throw new Error('a config epoch is lost')
    }
    for (const [key, leader] of this.told.votes) expectNoOtherVote(state, key, leader)
  }

  #tell(effect: Effect): void {
    if (effect.kind === 'respond') this.#noteAnswer(effect.reply, effect.client)
    if (effect.kind === 'openLink' && this.#rng.chance(9, 10)) {
      this.#inbox.push({ kind: 'linkUp', link: effect.link, localHost: '10.0.0.50' })
    }
    if (effect.kind === 'send') this.#noteSent(effect)
  }

  /** Who asked which group is kept in the number of the client. */
  #noteAnswer(reply: Reply, client: number): void {
    if (reply.kind !== 'array' || reply.items.length !== 3) return
    const [, leader, epoch] = reply.items
    if (leader?.kind !== 'bulk' || epoch?.kind !== 'integer' || leader.bytes === '*') return
    this.told.vote(groupOf(client), Number(epoch.value), leader.bytes)
  }

  #noteSent(effect: Effect & { readonly kind: 'send' }): void {
    const { link, purpose, argv } = effect
    if (purpose.kind === 'ask') this.#noteQuestion(argv)
    if (purpose.kind === 'hello') this.#noteHello(argv[2] ?? '')
    const reply = this.#replyTo(purpose.kind, argv)
    if (reply !== undefined) this.#inbox.push({ kind: 'reply', link, purpose, reply })
  }

  /** Asking for votes tells that our own is ours. */
  #noteQuestion([, , host, , epoch, candidate]: readonly string[]): void {
    this.told.epoch(Number(epoch))
    const asked = [...this.#state.groups.values()].find(({ config }) => config.host === host)
    if (candidate === MYID && asked) this.told.vote(asked.config.name, Number(epoch), MYID)
  }

  #noteHello(payload: string): void {
    const hello = parseHello(payload)
    if (hello === undefined) throw new Error(`no hello: ${payload}`)
    this.told.epoch(hello.currentEpoch)
    this.told.configEpoch(hello.group, hello.configEpoch)
  }

  /** What masters, replicas and peers say: mostly that the master is down, and yes to our candidacy. */
  #replyTo(kind: string, argv: readonly string[]): Reply | undefined {
    if (kind === 'ask') {
      const [, , , , epoch, candidate = '*'] = argv
      const leader = candidate === '*' || this.#rng.chance(1, 5) ? '*' : candidate
      return array([integer(1), bulk(leader), integer(leader === '*' ? 0 : Number(epoch))])
    }
    if (kind === 'info') return bulk(this.#rng.pick([SLAVE_INFO, MASTER_INFO]))
    return kind === 'ping' && this.#rng.chance(1, 2) ? bulk('PONG') : bulk('OK')
  }

  #somethingNew(): Event {
    return this.#rng.pick([
      () => this.#request(),
      () => this.#request(),
      () => this.#request(),
      () => this.#request(),
      () => this.#helloFrom(),
      () => this.#order(),
      () => this.#loseMaster(),
      () => this.#wake(),
    ])()
  }

  /** A peer asks for a vote, in an old epoch, this one or a new one. */
  #request(): Event {
    const which = this.#rng.below(GROUPS.length)
    const { host, port } = this.#state.groups.get(GROUPS[which]?.name ?? '')?.config ?? MYMASTER
    const epoch = Math.max(0, this.#state.currentEpoch - 2 + this.#rng.below(5))
    const candidate = this.#rng.pick([...PEERS.map(({ runId }) => runId), '*'])
    const words = ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', host, String(port), String(epoch)]
    return this.#fromClient(which, [...words, candidate])
  }

  #helloFrom(): Event {
    const { runId, host, port } = this.#rng.pick(PEERS)
    const which = this.#rng.below(GROUPS.length)
    const epoch = this.#state.currentEpoch + this.#rng.below(3)
    // Two groups with one master would be one to whoever asks by address.
    const master = `10.0.${2 + which}.${this.#rng.below(3)},6379,${this.#rng.below(epoch + 1)}`
    const payload = `${host},${port},${runId},${epoch},${GROUPS[which]?.name},${master}`
    return this.#fromClient(0, ['PUBLISH', '__sentinel__:hello', payload])
  }

  #order(): Event {
    return this.#fromClient(0, ['SENTINEL', 'FAILOVER', this.#rng.pick(GROUPS).name])
  }

  #loseMaster(): Event {
    const masters = [...this.#state.connections.values()].filter(({ up }) => up)
    const [first] = masters
    if (first === undefined) return { kind: 'wake' }
    return { kind: 'linkLost', link: first.id, reason: 'cut', isRefused: false }
  }

  #wake(): Event {
    this.#nowMs = Math.max(this.#nowMs, nextWakeUpMs(this.#state) ?? 0)
    return { kind: 'wake' }
  }

  #fromClient(group: number, argv: readonly string[]): Event {
    const client = ++this.#client * GROUPS.length + group
    const address = '192.168.0.1:1000'
    this.#perform(
      step(this.#state, this.#now(), {
        kind: 'clientOpened',
        client,
        address,
        localAddress: address,
      }),
    )
    return { kind: 'received', client, bytes: encodeCommand(argv) }
  }
}

const SLAVE_INFO =
  'role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:up\r\n'
const MASTER_INFO = 'role:master\r\nslave0:ip=10.0.0.2,port=6380,state=online\r\n'

function groupOf(client: number): string {
  return GROUPS[client % GROUPS.length]?.name ?? ''
}

/** In the same epoch another candidate gets either the same vote or none. */
function expectNoOtherVote(state: State, key: string, leader: string): void {
  const [name = '', epoch] = key.split(' ')
  const group = state.groups.get(name)
  if (group === undefined) throw new Error(`the group ${name} is lost`)
  if (group.leaderEpoch < Number(epoch)) throw new Error(`the vote in ${key} could be given again`)
  const isSame = group.leaderEpoch > Number(epoch) || group.leader === leader
  if (!isSame) throw new Error(`the vote in ${key} is another one now`)
}

function firstState() {
  const memory = { configEpoch: 0, leaderEpoch: 0, leader: '', replicas: REPLICAS, peers: PEERS }
  return {
    myid: MYID,
    currentEpoch: 1,
    groups: GROUPS.map((group) => ({ file: group, current: group, ...memory })),
    removed: [],
    settings: undefined,
    users: undefined,
  }
}

function decode(text: string) {
  const decoded = decodeState(text)
  if (!decoded.ok) throw new Error(decoded.reason)
  return decoded.value
}
