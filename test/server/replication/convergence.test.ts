/**
 * Whatever happens to links and roles, once it is over every replica holds what the last master holds,
 * at the same place of the same history. Played over many seeds.
 */
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'
import { sized } from '../../support/sized.ts'

const SEEDS = sized(24, 60)
const STEPS = 60

class Story {
  readonly world = new ReplicationWorld()
  readonly nodes: TestNode[]
  master: TestNode
  readonly #rng: Rng

  constructor(seed: number) {
    this.#rng = createRng(`convergence ${seed}`)
    const directives = { 'enable-debug-command': 'yes', 'repl-backlog-size': '16384' }
    this.nodes = [1, 2, 3, 4].map(() => this.world.node(directives))
    this.master = this.#pick()
    for (const node of this.#others(this.master)) node.follow(this.master)
  }

  step(): void {
    const roll = this.#rng.below(20)
    if (roll < 10) this.#write()
    else if (roll < 13) this.world.network.drop(...this.#pair())
    else if (roll < 15) this.world.network.cut(...this.#pair())
    else if (roll < 17) this.world.network.join(...this.#pair())
    else if (roll === 17) this.#failOver()
    else if (roll === 18) this.#chain()
    else this.#freeze()
    this.world.run(this.#rng.below(30))
  }

  /**
   * Everything works again, and everybody follows the master, directly or through one other. It may be one
   * that never heard of the others and is behind them: then the operator has to say that it is meant.
   */
  settle(): void {
    for (const a of this.nodes) for (const b of this.nodes) this.world.network.join(a, b)
    for (const node of this.nodes) node.isFrozen = false
    this.master.promote()
    for (const node of this.#others(this.master)) node.follow(this.master)
    for (const node of this.#others(this.master)) {
      this.world.until(() => node.info('master_link_status') === 'up' || refuses(node))
      if (refuses(node)) node.call('CONFIG', 'SET', 'replica-empty-master-guard', 'no')
      this.world.untilInStep(this.master, node)
    }
  }

  #write(): void {
    const client = this.world.client(this.master)
    client.send('SELECT', String(this.#rng.below(3)))
    const key = `key-${this.#rng.below(5)}`
    const text = 'x'.repeat(this.#rng.below(3000))
    const commands = [
      [['SET', key, text]],
      [['RPUSH', `list-${key}`, text, 'y']],
      [['LPOP', `list-${key}`]],
      [
        ['SADD', `set-${key}`, text, 'y'],
        ['SPOP', `set-${key}`],
      ],
      [['SET', key, text, 'PX', String(1 + this.#rng.below(200))]],
      [['MULTI'], ['INCR', 'counter'], ['SELECT', '1'], ['INCR', 'counter'], ['EXEC']],
      [['FLUSHALL']],
    ]
    for (const argv of this.#rng.pick(commands)) client.send(...argv)
    this.world.run(2)
    client.close()
  }

  /** Some replica becomes the master, and some of the others hear of it. */
  #failOver(): void {
    const chosen = this.#pick()
    chosen.promote()
    this.master = chosen
    for (const node of this.#others(chosen)) if (this.#rng.chance(2, 3)) node.follow(chosen)
  }

  #chain(): void {
    const [below, above] = this.#pair()
    if (below !== this.master) below.follow(above)
  }

  #freeze(): void {
    const node = this.#pick()
    node.isFrozen = !node.isFrozen && node !== this.master
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

function refuses(node: TestNode): boolean {
  return node.info('replica_empty_master_guard') === '1'
}

test('after any history of cuts, freezes and role changes everybody holds the same', () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const story = new Story(seed)
    for (let step = 0; step < STEPS; step++) story.step()
    story.settle()
    const digests = story.nodes.map((node) => node.call('DEBUG', 'DIGEST'))
    expect(digests, `seed ${seed}`).toEqual(digests.map(() => digests[0]))
    expect(
      story.nodes.flatMap((node) => node.logs.filter((line) => line.includes('failed here'))),
    ).toEqual([])
  }
})
