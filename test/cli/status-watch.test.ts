import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WatchEnd } from '../../src/cli/status/watch.ts'

let end: WatchEnd
beforeEach(() => {
  end = new WatchEnd()
})
afterEach(() => end.close())

test('who watches for days keeps no look but the last', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const looks: WeakRef<object>[] = []
  for (let count = 0; count < 20; count++) {
    const look = await end.or(Promise.resolve({ count }))
    if (look !== undefined) looks.push(new WeakRef(look))
  }
  await end.or(new Promise((resolve) => setImmediate(resolve)))
  collect()
  expect(looks).toHaveLength(20)
  expect(looks.slice(0, -1).filter((look) => look.deref() !== undefined)).toEqual([])
})

test('the wish to end comes before a look that is under way, and before all later ones', async () => {
  const never = new Promise<string>(() => undefined)
  const waiting = end.or(never)
  // Only ours: a signal would end whatever else listens in this process.
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  expect(await waiting).toBeUndefined()
  expect(await end.or(Promise.resolve('a look'))).toBeUndefined()
})

test('a look that fails is told', async () => {
  await expect(end.or(Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
})
