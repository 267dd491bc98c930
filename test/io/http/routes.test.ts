/** What the routes say where a program has nothing behind them, and what of an order they refuse themselves. */
import { expect, test } from 'vitest'
import { NO_HTTP } from '../../../src/config/http-options.ts'
import { yes } from '../../../src/http/probe.ts'
import { createRoutes } from '../../../src/io/http/routes.ts'
import { HttpToken } from '../../../src/io/http/token.ts'

test.each([
  ['GET', '/history'],
  ['GET', '/timeline'],
  ['GET', '/events'],
  ['POST', '/failover'],
  ['POST', '/pause'],
])(
  '%s %s of a program that is no Sentinel leads to a Sentinel, with or without a token',
  async (method, path) => {
    const site = {
      ...{ readiness: () => yes(''), role: () => yes(''), events: undefined },
      cluster: () => Promise.resolve(new Uint8Array()),
    }
    const routes = createRoutes(site, new HttpToken(NO_HTTP), () => undefined)
    const answer = await routes.request(path, { method })
    const text = expect.stringMatching(/^this program (keeps|takes) no .*: ask a Sentinel$/)
    expect([answer.status, await answer.json()]).toEqual([404, { ok: false, text }])
  },
)

test('of the routes that there are only those are named that this program serves', async () => {
  const site = {
    ...{ readiness: () => yes(''), role: () => yes(''), events: undefined },
    cluster: () => Promise.resolve(new Uint8Array()),
  }
  const textOf = async (more: object, path = '/nothing') => {
    const routes = createRoutes({ ...site, ...more }, new HttpToken(NO_HTTP), () => undefined)
    const answer = await routes.request(path)
    expect(answer.status).toBe(404)
    return JSON.parse(await answer.text()).text
  }
  expect(await textOf({}, '/nothing.js')).toBe(await textOf({}))
  expect(await textOf({})).toBe(
    'no such route; there are / /cluster /health /liveness /readiness /primary /read-write /leader /replica /read-only',
  )
  const sentinel = { history: () => [], steer: () => Promise.reject(new Error('unused')) }
  expect(await textOf(sentinel)).toMatch(
    / \/history .*, and POST \/failover \/switchover \/pause \/resume$/,
  )
})

const TOKEN = '0123456789abcdef'

/** What the machine is told of an order, and the answer. */
async function ordered(path: string, body: object) {
  const orders: unknown[] = []
  const site = {
    ...{ readiness: () => yes(''), role: () => yes(''), events: undefined },
    cluster: () => Promise.resolve(new Uint8Array()),
    steer(order: { readonly group: string | undefined }) {
      orders.push(order.group)
      return Promise.resolve({
        status: 200,
        body: { ok: true, text: 'done', reply: 'OK' },
      } as const)
    },
  }
  const routes = createRoutes(site, new HttpToken({ ...NO_HTTP, token: TOKEN }), () => undefined)
  const headers = { Authorization: `Bearer ${TOKEN}` }
  const answer = await routes.request(path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: JSON.parse(await answer.text()).text, orders }
}

test('an order with a field in its address is refused: ?dryRun=true would have failed over', async () => {
  expect(await ordered('/failover?dryRun=true', { group: 'a' })).toEqual({
    status: 400,
    text: "'dryRun' belongs into the JSON body: of an address only ?group= is read",
    orders: [],
  })
  expect((await ordered('/pause?group=a&größe=1', { seconds: 60 })).text).toMatch(/^'größe' /)
})

test('an order whose address names another group than its body is refused, not guessed at', async () => {
  const text = 'group is another one in the address than in the body: name it once'
  expect(await ordered('/failover?group=a', { group: 'b' })).toEqual({
    ...{ status: 400, text, orders: [] },
  })
  for (const body of [{}, { group: 'a' }, { group: null }]) {
    expect((await ordered('/failover?group=a', body)).orders).toEqual(['a'])
  }
})
