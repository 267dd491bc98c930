/** What the routes say where a program has nothing behind them. */
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
