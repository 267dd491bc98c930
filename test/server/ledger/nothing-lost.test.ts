/**
 * Nothing is lost in silence: what a master has answered is with the last master in the end, or in a ledger
 * of somebody, or a ledger says that it lies in what the backlog no longer had. Whatever was cut, promoted,
 * chained and copied in between. Played over many seeds.
 */
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import { readLedger } from '../../../src/server/ledger/ledger-reader.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'
import { sized } from '../../support/sized.ts'

const SEEDS = sized(16, 40)
const STEPS = 50

/** No history is so long that a backlog or the number of ledgers is too small for it. */
const DIRECTIVES = {
  'ledger-max-files': '1000',
  'replica-empty-master-guard': 'no',
  'demotion-closes-clients': 'no',
}

class Story {
  readonly world = new ReplicationWorld()
  readonly nodes: TestNode[]
  /** Keys, and where their writes stand in the history. */
  readonly answered = new Map<string, number>()
  master: TestNode
  readonly #rng: Rng

  constructor(seed: number) {
    this.#rng = createRng(`nothing lost ${seed}`)
    this.nodes = [1, 2, 3, 4].map(() => this.world.node(DIRECTIVES))
    this.master = this.nodes[0] as TestNode
    for (const node of this.#others(this.master)) node.follow(this.master)
    for (const node of this.#others(this.master)) this.world.untilInStep(this.master, node)
  }

  step(): void {
    const roll = this.#rng.below(20)
    if (roll < 10) this.#write(this.#pick())
    else if (roll < 12) this.world.network.cut(...this.#pair())
    else if (roll < 15) this.world.network.join(...this.#pair())
    else if (roll < 17) this.#pick().promote()
    else this.#follow(...this.#pair())
    this.world.run(this.#rng.below(this.#rng.chance(1, 4) ? 3000 : 30))
  }

  settle(): void {
    for (const a of this.nodes) for (const b of this.nodes) this.world.network.join(a, b)
    this.master = this.#pick()
    this.master.promote()
    for (const node of this.#others(this.master)) node.follow(this.master)
    for (const node of this.#others(this.master)) this.world.untilInStep(this.master, node)
  }

  /** What is gone and in no ledger, although no ledger says that its place is missing there. */
  lost(): string[] {
    const ledgers = this.nodes.flatMap(ledgersOf)
    const kept = new Set(ledgers.flatMap(({ commands }) => commands.map(({ argv }) => argv[1])))
    const isMissed = (offset: number) =>
      ledgers.some(({ facts }) => facts.from <= offset && offset < facts.kept)
    return [...this.answered]
      .filter(([key]) => !kept.has(key) && this.master.get(key) === undefined)
      .filter(([, offset]) => !isMissed(offset))
      .map(([key]) => key)
  }

  /** Whoever takes writes, be it a master of nobody. */
  #write(node: TestNode): void {
    const key = `key-${this.answered.size}`
    if (node.call('SET', key, 'v').kind === 'simple') this.answered.set(key, node.offset)
  }

  #follow(below: TestNode, above: TestNode): void {
    below.follow(above)
  }

  #pair(): [TestNode, TestNode] {
    const first = this.#pick()
    return [first, this.#rng.pick(this.#others(first))]
  }

  #pick(): TestNode {
    return this.#rng.pick(this.nodes)
  }

  #others(node: TestNode): TestNode[] {
    return this.nodes.filter((other) => other !== node)
  }
}

function ledgersOf(node: TestNode) {
  const paths = node.files.paths().filter((path) => path.endsWith('.ledger'))
  return paths.map((path) => {
    const reading = readLedger(node.files.read(path) ?? '')
    if (reading.kind !== 'ledger') throw new Error(`${path}: ${reading.text}`)
    return reading
  })
}

test('what was answered is with the last master, or in a ledger, or a ledger says what it lacks', () => {
  let written = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    const story = new Story(seed)
    for (let step = 0; step < STEPS; step++) story.step()
    story.settle()
    expect(story.lost(), `seed ${seed}`).toEqual([])
    written += story.answered.size
  }
  expect(written).toBeGreaterThan(2 * SEEDS)
})
