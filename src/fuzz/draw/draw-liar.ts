/**
 * Draws a cluster with a liar on its network, see liar-rules.ts and sim/liar/liar-program.ts. The
 * liar lies while ordinary things go wrong beside it; then it falls silent, everything heals, and a
 * master that dies is replaced as if there had never been a liar.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import { BusyUntil } from '../busy-until.ts'
import { drawFault, type Fault, type SWARM_KINDS } from '../faults/faults.ts'
import type { LieWords } from '../faults/spoken-faults.ts'
import { voicesMax } from '../liar-rules.ts'
import { type PlannedLiar, type PlannedTopology, plainMembers } from '../members.ts'
import { between, numbers, sample, weighted } from '../odds.ts'
import { FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'

const GROUP = 'mymaster'
const LYING_MS = [4_000, 10_000, 20_000, 35_000]
const LIES_MAX = 60
/** From plausible epochs to those that none of our numbers can hold. */
const EPOCHS: readonly string[] = [
  ...['0', 'current', 'current + 1', 'current + 2', 'current + 1000', 'current - 1', '-1'],
  ...['2^31', '2^32', '2^47', '2^48 - 2', '2^48 - 1', '2^48', '2^48 + 1', '2^53', '2^53 - 1'],
  ...['2^63 - 1', '2^63', '2^64 - 1'],
]
const ORDINARY: typeof SWARM_KINDS = [
  ...(['death', 'death', 'pause', 'stall', 'partition', 'cut', 'reset', 'failover'] as const),
]

/** What a liar is able and willing to do in one run. */
interface Character {
  readonly topology: PlannedTopology
  readonly epochs: readonly string[]
  readonly kinds: readonly (readonly [number, Lying])[]
  readonly answers: boolean
}

type Lying = (rng: Rng, character: Character) => Said
type Said = Omit<Fault & { readonly kind: 'lie' }, 'kind' | 'fromMs' | 'liar'>

export function drawLiar(seed: string): FuzzPlan {
  const rng = createRng(`liar/${seed}`)
  const topology = drawTopology(rng.fork('topology'))
  const calmMs = FIRST_FAULT_MS + rng.fork('calm').pick(LYING_MS)
  const clients = [
    {
      ...{ name: 'app1', host: 'client1', group: GROUP, operation: 'keys' as const },
      ...{ pace: { rate: 5 }, manner: 'prompt' as const },
    },
  ]
  const ordinary = drawOrdinary(rng.fork('ordinary'), { topology, clients, calmMs })
  const lies = topology.liars.flatMap(({ name }) =>
    drawLies(rng.fork(`lies/${name}`), name, topology, calmMs),
  )
  return {
    ...{ topology, clients, calmMs, restMs: undefined, hasFinalDeath: true, ending: 'rest' },
    faults: [...ordinary, ...lies].sort((a, b) => a.fromMs - b.fromMs),
    demands: [
      { kind: 'converges', group: GROUP },
      { kind: 'staysConverged', group: GROUP },
      { kind: 'writesWork', client: 'app1' },
      { kind: 'failsOver', group: GROUP },
      { kind: 'settles' },
    ],
  }
}

function drawTopology(rng: Rng): PlannedTopology {
  const sentinels = rng.fork('sentinels').pick([3, 3, 5])
  const replicas = between(rng.fork('replicas'), 1, 3)
  const isShared = rng.fork('layout').chance(1, 2)
  const hasPassword = rng.fork('password').chance(1, 2)
  const rules = rng.fork('rules')
  return {
    ...{ latencyMs: 1, jitterMs: 1, zones: [], settings: { appendonly: 'yes' } },
    groups: [
      {
        ...{
          name: GROUP,
          master: 'n1',
          preFailoverHook: '',
          parallelSyncs: 1,
          refusedAfterMs: 250,
        },
        quorum: rules.pick(sentinels === 3 ? [2, 2, 3] : [2, 3, 3, 4]),
        downAfterMs: rules.pick([1_000, 1_000, 2_000, 3_000]),
        failoverTimeoutMs: rules.pick([2_000, 3_000, 5_000, 5_000]),
        detection: rules.pick(['ping', 'evidence']),
      },
    ],
    ...plainMembers({ nodes: replicas + 1, sentinels }, isShared),
    liars: drawLiars(rng.fork('liars'), hasPassword),
    password: hasPassword ? 'sesame' : undefined,
  }
}

/** Strangers, or insiders that know the password. Without a password there is nothing to know. */
function drawLiars(rng: Rng, hasPassword: boolean): PlannedLiar[] {
  return numbers(rng.pick([1, 1, 1, 2])).map((number) => ({
    name: `liar${number}`,
    knowsPassword: hasPassword && rng.chance(2, 3),
  }))
}

function drawOrdinary(
  rng: Rng,
  setting: Pick<FuzzPlan, 'topology' | 'clients' | 'calmMs'>,
): Fault[] {
  if (rng.chance(1, 3)) return []
  const occupation = new BusyUntil()
  const kinds = sample(rng.fork('kinds'), ORDINARY, 3)
  const gapMs = rng.fork('gap').pick([3_000, 6_000, 10_000])
  const faults: Fault[] = []
  let fromMs = FIRST_FAULT_MS + rng.below(gapMs)
  for (let number = 0; fromMs < setting.calmMs - 500; number++) {
    const own = rng.fork(`fault/${number}`)
    const fault = drawFault(own, own.pick(kinds), { ...setting, fromMs, occupation })
    // A node that comes back without its data is another story.
    if (fault !== undefined)
      faults.push(fault.kind === 'death' ? { ...fault, disk: 'kept' } : fault)
    fromMs += between(own.fork('gap'), Math.ceil(gapMs / 3), gapMs * 2)
  }
  return faults
}

function drawLies(rng: Rng, liar: string, topology: PlannedTopology, calmMs: number): Fault[] {
  const character = drawCharacter(rng.fork('character'), topology)
  const gapMs = rng.fork('gap').pick([200, 700, 2_000])
  const faults: Fault[] = []
  let fromMs = FIRST_FAULT_MS + rng.fork('first').below(1_000)
  if (character.answers) {
    const words = drawAnswer(rng.fork('answer'), character)
    faults.push({ kind: 'lie', fromMs, liar, to: [], words, times: 1, everyMs: 100 })
  }
  for (let number = 0; number < LIES_MAX && fromMs < calmMs - 300; number++) {
    const own = rng.fork(`lie/${number}`)
    const said = weighted(own.fork('kind'), character.kinds)(own, character)
    const room = Math.floor((calmMs - 200 - fromMs) / Math.max(1, said.everyMs))
    faults.push({
      kind: 'lie',
      fromMs,
      liar,
      ...said,
      times: Math.max(1, Math.min(said.times, room)),
    })
    fromMs += between(own.fork('gap'), Math.ceil(gapMs / 4), gapMs * 2)
  }
  return faults
}

function drawCharacter(rng: Rng, topology: PlannedTopology): Character {
  const all: readonly (readonly [number, Lying])[] = [
    ...([
      [6, sayHello],
      [5, askForVote],
      [3, confer],
      [4, impersonate],
    ] as const),
    ...([
      [3, beMany],
      [2, usurp],
      [2, beReplica],
      [3, walk],
      [2, stammer],
    ] as const),
  ]
  return {
    topology,
    epochs: sample(rng.fork('epochs'), EPOCHS, between(rng, 2, 6)),
    kinds: sample(rng.fork('kinds'), all, between(rng, 2, 6)),
    answers: rng.fork('answers').chance(1, 2),
  }
}

function drawAnswer(rng: Rng, { epochs }: Character): LieWords {
  return {
    answer: {
      epoch: rng.pick(['asked', ...epochs]),
      ...(rng.chance(1, 2) ? { leader: 'made-up' as const } : {}),
      ...(rng.chance(1, 2) ? { down: true as const } : {}),
      ...(rng.chance(1, 4) ? { replicas: rng.pick([3, 60]) } : {}),
    },
  }
}

/** A Sentinel that none of the others knows, and epochs that none has reached. */
function sayHello(rng: Rng, character: Character): Said {
  const hello = { epoch: rng.pick(character.epochs), ...drawConfigEpoch(rng, character) }
  return { to: listeners(rng, character), words: { hello }, ...seldom(rng) }
}

function drawConfigEpoch(rng: Rng, { epochs }: Character): { 'config-epoch'?: string } {
  if (rng.chance(2, 3)) return {}
  return { 'config-epoch': rng.pick(['config + 1', 'config + 1000', ...epochs]) }
}

function askForVote(rng: Rng, character: Character): Said {
  return {
    to: sentinels(rng, character),
    words: { vote: drawQuestion(rng, character) },
    ...seldom(rng),
  }
}

function confer(rng: Rng, character: Character): Said {
  const words = { confer: drawQuestion(rng, character) }
  return { to: sentinels(rng, character), words, ...seldom(rng) }
}

function drawQuestion(rng: Rng, character: Character) {
  const id = rng.pick([
    'made-up',
    'new',
    rng.pick(character.topology.sentinels).name,
    'nobody-at-all',
  ])
  return { id, epoch: rng.pick(character.epochs) }
}

/**
 * A Sentinel that all others know has moved: to nowhere, to the liar, to the place of another
 * process.
 */
function impersonate(rng: Rng, character: Character): Said {
  const { topology } = character
  const hello = {
    id: rng.pick(topology.sentinels).name,
    at: rng.pick(['self', 'nowhere', 'nowhere', rng.pick(topology.sentinels).name, 'n1']),
    ...(rng.chance(1, 3) ? { epoch: rng.pick(character.epochs) } : {}),
  }
  return { to: listeners(rng, character), words: { hello }, ...often(rng) }
}

/** Many made-up Sentinels; of those that answer only as many as the true ones can outvote. */
function beMany(rng: Rng, character: Character): Said {
  const { answers, topology } = character
  const most = voicesMax(topology.sentinels.length)
  const at = answers ? 'nowhere' : rng.pick(['new', 'new', 'self', 'nowhere'])
  const times = rng.pick([2, most, 10, 40, 150])
  return { to: listeners(rng, character), words: { hello: { id: 'new', at } }, times, everyMs: 5 }
}

/** Another master, in an epoch that is newer than the true one, or only says so. */
function usurp(rng: Rng, character: Character): Said {
  const { nodes } = character.topology
  const hello = {
    master: rng.pick(['nowhere', 'self', rng.pick(nodes).name]),
    'config-epoch': rng.pick(['config', 'config + 1', 'config + 2', rng.pick(character.epochs)]),
  }
  return { to: listeners(rng, character), words: { hello }, times: 1, everyMs: 100 }
}

function beReplica(rng: Rng, { topology, answers }: Character): Said {
  const times = rng.pick([1, 3, 20])
  const at = answers ? rng.pick(['self', 'new']) : rng.pick(['new', 'nowhere'])
  return { to: [rng.pick(topology.nodes).name], words: { replica: { at } }, times, everyMs: 20 }
}

/**
 * Raises the epoch step by step, each time from the one that the Sentinels have come to believe.
 */
function walk(rng: Rng, character: Character): Said {
  const step = rng.pick([1, 2, 100, 1_000, 65_536, 4_294_967_296])
  const epoch = `current + ${step}`
  const words = rng.pick<LieWords>([
    { hello: { epoch } },
    { vote: { epoch, id: 'made-up' } },
    { hello: { epoch, 'config-epoch': `config + ${step}` } },
  ])
  const to = words.vote === undefined ? listeners(rng, character) : sentinels(rng, character)
  return { to, words, times: rng.pick([10, 100, 400]), everyMs: rng.pick([10, 20, 50]) }
}

/** Hellos and votes that make no sense: ids and groups that do not exist. */
function stammer(rng: Rng, character: Character): Said {
  const epoch = rng.pick(character.epochs)
  const words = rng.pick<LieWords>([
    { hello: { id: 'xyz', epoch } },
    { hello: { id: 'A'.repeat(40), epoch } },
    { hello: { group: 'nobodys', epoch } },
    { hello: { group: 'a,b,c', epoch } },
    { vote: { id: 'x'.repeat(300), epoch } },
  ])
  const to = words.vote === undefined ? listeners(rng, character) : sentinels(rng, character)
  return { to, words, ...seldom(rng) }
}

/** Data nodes, through which every Sentinel hears the lie, or Sentinels. */
function listeners(rng: Rng, character: Character): string[] {
  const { nodes } = character.topology
  if (rng.chance(1, 3)) return sentinels(rng, character)
  return sample(
    rng,
    nodes.map(({ name }) => name),
    between(rng, 1, nodes.length),
  )
}

function sentinels(rng: Rng, { topology }: Character): string[] {
  const names = topology.sentinels.map(({ name }) => name)
  return sample(rng, names, between(rng, 1, names.length))
}

function seldom(rng: Rng): { times: number; everyMs: number } {
  return { times: rng.pick([1, 1, 1, 5]), everyMs: 200 }
}

/** More often than the true Sentinel says where it is. */
function often(rng: Rng): { times: number; everyMs: number } {
  return { times: rng.pick([1, 10, 40]), everyMs: rng.pick([50, 300]) }
}
