import { expect, test } from 'vitest'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import { Driver, type DriverPorts, type SentinelMachine } from '../../src/io/driver.ts'

const STATE: SavedState = {
  myid: 'a'.repeat(40),
  currentEpoch: 7,
  groups: [],
  removed: [],
  settings: undefined,
  users: undefined,
}
const SAVE: Effect = { kind: 'save', state: () => STATE }

function log(text: string): Effect {
  return { kind: 'log', level: 'notice', text }
}

/** A machine that answers each event with a prepared batch, and a world that notes what is asked of it. */
function rig(
  batches: Readonly<Record<string, readonly Effect[]>>,
  isWatched = false,
  tellsOfEnd = false,
) {
  const trace: string[] = []
  const saves: { state: SavedState; resolve(): void; reject(error: Error): void }[] = []
  const machine: SentinelMachine = {
    start: () => batches.start ?? [],
    step(_now, event) {
      trace.push(`event ${event.kind}`)
      if (event.kind === 'saveFailed') trace.push(`dropped ${describe(event.dropped)}`)
      return batches[event.kind] ?? []
    },
    nextWakeUpMs: () => 42,
  }
  const ports: DriverPorts = {
    now: () => ({ monoMs: 0, wallMs: 0 }),
    wakeAt: (atMs) => trace.push(`wake at ${atMs}`),
    openLink: (link) => trace.push(`open ${link}`),
    closeLink: (link) => trace.push(`close ${link}`),
    send: (link, _purpose, argv) => trace.push(`send ${link} ${argv.join(' ')}`),
    save(state) {
      trace.push('save')
      return new Promise((resolve, reject) => saves.push({ state, resolve, reject }))
    },
    respond: (client) => trace.push(`respond ${client}`),
    awaitDrain: (client) => trace.push(`await drain ${client}`),
    closeClient: (client) => trace.push(`close client ${client}`),
    inquire: (inquiry) => trace.push(`inquire ${inquiry}`),
    runScript: (job) => trace.push(`run ${job}`),
    killScript: (job) => trace.push(`kill ${job}`),
    setLogLevel: (level) => trace.push(`log level ${level}`),
    log: (_level, text) => trace.push(text),
    exit: (status) => trace.push(`exit ${status}`),
    caughtUp: () => {
      if (tellsOfEnd) trace.push('caught up')
    },
  }
  const watch = {
    done: (effect: Effect) => trace.push(`seen ${effect.kind}`),
    stepped: () => trace.push('stepped'),
  }
  return { driver: new Driver(machine, ports, isWatched ? watch : undefined), trace, saves }
}

function describe(effects: readonly Effect[]): string {
  return effects.map((effect) => effect.kind).join(',')
}

/** Lets settled promises run their continuations. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

const PING: Event = { kind: 'received', client: 1, bytes: 'PING\r\n' }

test('effects happen in the order of the batch, then the wake-up is set', () => {
  const { driver, trace } = rig({ received: [log('one'), { kind: 'closeLink', link: 3 }] })
  driver.feed(PING)
  expect(trace).toEqual(['event received', 'one', 'close 3', 'wake at 42'])
})

test('nothing after a save happens before it is on disk', async () => {
  const { driver, trace, saves } = rig({ received: [log('before'), SAVE, log('vote')] })
  driver.feed(PING)
  await settle()
  expect(trace).toEqual(['event received', 'before', 'save'])
  saves[0]?.resolve()
  await settle()
  expect(trace.slice(3)).toEqual(['vote', 'event saved', 'wake at 42'])
})

test('an event that comes during a save waits until the batch and the outcome are through', async () => {
  const { driver, trace, saves } = rig({ received: [SAVE, log('vote')] })
  driver.feed(PING)
  driver.feed({ kind: 'clientClosed', client: 1 })
  await settle()
  expect(trace).toEqual(['event received', 'save'])
  saves[0]?.resolve()
  await settle()
  expect(trace.slice(2)).toEqual(['vote', 'event saved', 'event clientClosed', 'wake at 42'])
})

test('a driver that waits for a save says so, how much it keeps, and when it has caught up', async () => {
  const { driver, trace, saves } = rig({ received: [SAVE, log('vote')] }, false, true)
  driver.feed(PING)
  driver.feed({ kind: 'clientClosed', client: 1 })
  expect([driver.isBehind, driver.backlog]).toEqual([true, 1])
  expect(trace).not.toContain('caught up')
  saves[0]?.resolve()
  await settle()
  expect([driver.isBehind, driver.backlog]).toEqual([false, 0])
  expect(trace.filter((line) => line === 'caught up')).toHaveLength(1)
})

test('after a failed save the rest of the batch is handed back and not done', async () => {
  const { driver, trace, saves } = rig({
    received: [SAVE, log('vote'), { kind: 'closeClient', client: 1 }],
  })
  driver.feed(PING)
  saves[0]?.reject(new Error('disk full'))
  await settle()
  expect(trace).toEqual([
    'event received',
    'save',
    'event saveFailed',
    'dropped log,closeClient',
    'wake at 42',
  ])
})

test('two saves in one batch are one barrier, where the first stood, with the state of the last', async () => {
  const newest: Effect = { kind: 'save', state: () => ({ ...STATE, currentEpoch: 8 }) }
  const { driver, trace, saves } = rig({ received: [SAVE, log('one'), newest, log('two')] })
  driver.feed(PING)
  await settle()
  expect(trace).toEqual(['event received', 'save'])
  expect(saves[0]?.state.currentEpoch).toBe(8)
  saves[0]?.resolve()
  await settle()
  expect(trace.slice(2)).toEqual(['one', 'two', 'event saved', 'wake at 42'])
})

test('what came during a save is saved at once, and none of it is told before', async () => {
  const { driver, trace, saves } = rig({ received: [SAVE, log('vote')] })
  driver.feed(PING)
  for (let more = 0; more < 3; more++) driver.feed(PING)
  saves[0]?.resolve()
  await settle()
  const asked = ['event saved', 'event received', 'event received', 'event received', 'save']
  expect(trace).toEqual(['event received', 'save', 'vote', ...asked])
  saves[1]?.resolve()
  await settle()
  expect(trace.slice(8)).toEqual(['vote', 'vote', 'vote', 'event saved', 'wake at 42'])
})

// With a thousand groups, replies that waited behind a wake-up were taken for missing ones. And a flood of
// vote requests took seconds to be handled, in which the answers of a healthy master lay unread.
test('deadlines are not judged before everything that has come in is read', async () => {
  const { driver, trace, saves } = rig({ received: [SAVE] })
  driver.feed(PING)
  driver.feed({ kind: 'wake' })
  driver.feed({ kind: 'clientClosed', client: 1 })
  driver.feed({ kind: 'wake' })
  saves[0]?.resolve()
  await settle()
  const events = ['event saved', 'event clientClosed']
  expect(trace).toEqual(['event received', 'save', ...events, 'wake at 42'])
  driver.feed({ kind: 'wake' })
  expect(trace.slice(-2)).toEqual(['event wake', 'wake at 42'])
})

test('after a save that failed everybody gets an answer of his own again', async () => {
  const { driver, trace, saves } = rig({ received: [SAVE, log('vote')] })
  driver.feed(PING)
  driver.feed(PING)
  driver.feed({ kind: 'clientClosed', client: 1 })
  saves[0]?.reject(new Error('disk full'))
  await settle()
  expect(trace.slice(2)).toEqual(['event saveFailed', 'dropped log', 'event received', 'save'])
})

test('the first batch is performed before any event', async () => {
  const { driver, trace, saves } = rig({
    start: [{ kind: 'openLink', link: 1, channel: 'command', host: 'h', port: 1 }, SAVE],
  })
  driver.start()
  driver.feed(PING)
  await settle()
  expect(trace).toEqual(['open 1', 'save'])
  saves[0]?.resolve()
  await settle()
  expect(trace.slice(2)).toEqual(['event saved', 'event received', 'wake at 42'])
})

test('nothing happens after exit', () => {
  const { driver, trace } = rig({ received: [{ kind: 'exit', status: 0 }, log('late')] })
  driver.feed(PING)
  driver.feed(PING)
  expect(trace).toEqual(['event received', 'exit 0'])
})

test('who looks on sees each effect as it is done, and a batch only when its save is done', async () => {
  const { driver, trace, saves } = rig({ received: [log('one'), SAVE, log('two')] }, true)
  driver.feed(PING)
  expect(trace).toEqual(['event received', 'seen log', 'one', 'save'])
  saves[0]?.resolve()
  await settle()
  const rest = ['seen log', 'two', 'stepped', 'event saved', 'stepped', 'wake at 42']
  expect(trace.slice(4)).toEqual(rest)
})
