import { clusterTest } from 'vedette/vitest'
import { afterEach, expect } from 'vitest'
import { MENDED, Orders, STOCK } from './orders.js'

const test = clusterTest({ replicas: 2, downAfterMs: 200 })
let orders

afterEach(() => orders?.close())

test('no accepted order is lost when the master is cut off from the rest', async ({ cluster }) => {
  orders = new Orders(cluster.addresses, process.env.STOCK ? STOCK : MENDED)
  await orders.accept('before')
  const { master } = cluster

  cluster.note('a switch fails: the shop still reaches the master, nothing else does')
  master.partition({ to: cluster.members.filter((member) => member !== master) })
  const accepted = sellUntil(cluster.until.switched(), cluster, orders)
  const ids = await accepted
  cluster.note(`${ids.length} orders were accepted meanwhile`)
  cluster.heal()
  await cluster.until.settled()

  const lost = await cluster.writes().lost()
  cluster.note(`${lost.length} of them are lost${lost[0] ? `: ${lost[0].story}` : ''}`)
  expect(lost.map(({ key }) => key)).toEqual([])
})

/** Sells until the Sentinels have switched, and a little longer. */
async function sellUntil(switched, cluster, shop) {
  const ids = []
  let isOver = false
  const end = switched.then(() => new Promise((resolve) => setTimeout(resolve, 200)))
  void end.then(() => {
    isOver = true
  })
  for (let id = 1; !isOver; id++) {
    const by = cluster.master
    if (!(await shop.accept(id))) continue
    ids.push(id)
    cluster.writes().note(`order:${id}`, 'paid', by)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await end
  return ids
}
