/**
 * The language beside the Lua of a real redis-server: a table of programs, and programs drawn at
 * random. Expectations of test/lua/programs.test.ts are written here:
 * `npx vitest run --project net test/diff/lua.test.ts -u`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { drawProgram } from '../lua/draw-program.ts'
import { PROGRAMS, wrapped } from '../lua/programs.ts'
import { runHere } from '../lua/run-here.ts'
import { hasRedisServer, type RealNode, startRedis } from '../support/real-nodes.ts'
import { sized } from '../support/sized.ts'

describe.skipIf(!hasRedisServer)('beside the Lua of redis-server', () => {
  let redis: RealNode

  beforeAll(async () => {
    redis = await startRedis({})
  })
  afterAll(async () => {
    await redis.stop()
  })

  async function there(program: string): Promise<string> {
    const reply = await redis.client
      .callBuffer('EVAL', wrapped(program), '0')
      .catch((error: Error) => error.message)
    const text = reply instanceof Buffer ? reply.toString('latin1') : String(reply)
    return text
      .replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.$/, '')
      .replace('Error compiling script (new function):', 'Error compiling script:')
  }

  test('the table of programs is what redis-server makes of them', async () => {
    const lines: string[] = []
    for (const program of PROGRAMS) lines.push(JSON.stringify(await there(program)))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../lua/testdata/programs.txt')
  })

  test('programs drawn at random return the same', async () => {
    const rng = createRng(`lua ${process.env.VEDETTE_SEED ?? 1}`)
    const differing: object[] = []
    for (let count = 0; count < sized(150, 12_000) && differing.length < 10; count++) {
      const program = drawProgram(rng)
      const [here, real] = [runHere(program), await there(program)]
      if (here !== real) differing.push({ program, here, real })
    }
    expect(differing).toEqual([])
  })
})
