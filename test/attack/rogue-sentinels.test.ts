/**
 * Sentinels that lie: about a master that is well, about votes, and as many of them as the quorum less
 * one; and one honest Sentinel that the master refuses meanwhile, so that it has to ask what they say.
 * Redis' own do the same where they are installed, from the same files.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import {
  type Answers,
  ask,
  asSentinel,
  Liar,
  opinion,
  runIdOf,
  say,
  textOf,
  untilAnswering,
} from '../support/adversary.ts'
import {
  freePorts,
  HAS_REDIS_SENTINEL,
  node,
  type Program,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const DOWN_AFTER_MS = 400
/** A redis-sentinel opens connections once a second; with less than this it takes that for a death. */
const REDIS_DOWN_AFTER_MS = 2_000
const FAILOVER_TIMEOUT_MS = 20_000
/** A failover takes down-after and a few round trips; the machine is busy with other tests. */
const ORDINARY_MS = 10_000
const KNOWN_MS = 15_000

const KINDS = HAS_REDIS_SENTINEL
  ? ([
      ['ours', false],
      ["Redis'", true],
    ] as const)
  : ([['ours', false]] as const)

interface Group {
  readonly master: Program
  readonly replica: Program
  readonly sentinels: readonly Program[]
}

/** Each Sentinel comes to the nodes as a user of its own, so that one can be refused alone. */
async function start(
  context: TestContext,
  { quorum, isRedis = false }: { readonly quorum: number; readonly isRedis?: boolean },
): Promise<Group> {
  const folder = scratchFolder('rogues')
  const [one = 0, two = 0, ...ports] = await freePorts(5)
  const users = ports.map((port) => `user watcher-${port} on nopass ~* &* +@all`)
  const master = node(folder, one, users)
  const replica = node(folder, two, [...users, `replicaof 127.0.0.1 ${one}`])
  const sentinels = ports.map((port) => {
    const dir = join(folder, String(port))
    mkdirSync(dir)
    const path = join(dir, 'sentinel.conf')
    const lines = [
      ...[`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`],
      `sentinel monitor mymaster 127.0.0.1 ${one} ${quorum}`,
      `sentinel down-after-milliseconds mymaster ${isRedis ? REDIS_DOWN_AFTER_MS : DOWN_AFTER_MS}`,
      `sentinel failover-timeout mymaster ${FAILOVER_TIMEOUT_MS}`,
      `sentinel auth-user mymaster watcher-${port}`,
      'sentinel auth-pass mymaster any',
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    return sentinelOn(path, port, `${dir}.log`, isRedis)
  })
  const programs = [master, replica, ...sentinels]
  context.onTestFinished(() => stopAll(folder, programs))
  for (const program of programs) program.start()
  for (const program of programs) await untilAnswering(program)
  await untilKnown(sentinels, 2)
  return { master, replica, sentinels }
}

async function untilKnown(sentinels: readonly Program[], peers: number): Promise<void> {
  for (const { port } of sentinels) {
    await until(`${port} knows ${peers} others and the replica`, KNOWN_MS, async () => {
      const known = await fields(port, 'num-other-sentinels', 'num-slaves')
      return known === `${peers} 1`
    })
  }
}

async function fields(port: number, ...names: readonly string[]): Promise<string> {
  const [reply] = await say(port, ['SENTINEL', 'MASTER', 'mymaster'])
  if (reply?.kind !== 'array') return ''
  const words = reply.items.map(textOf)
  return names.map((name) => words[words.indexOf(name) + 1]).join(' ')
}

async function rogues(
  context: TestContext,
  { master, sentinels }: Group,
  count: number,
  lie: Answers,
): Promise<Liar[]> {
  const liars: Liar[] = []
  for (const digit of ['d', 'e', 'f'].slice(0, count)) {
    liars.push(await Liar.listen(context, runIdOf(digit), asSentinel(runIdOf(digit), lie)))
  }
  await until('the honest ones hear of the rogues', KNOWN_MS, async () => {
    const heard = liars.map((liar) => liar.greet(master.port, 0, master.port, 0))
    return (await Promise.all(heard)).every((answer) => Number(answer) >= sentinels.length)
  })
  await untilKnown(sentinels, 2 + count)
  return liars
}

/** From here on the master is well, and this Sentinel cannot see it. */
async function refuse({ master }: Group, sentinel: Program): Promise<void> {
  await ask(master.port, 'ACL', 'SETUSER', `watcher-${sentinel.port}`, '-ping')
  await until('it calls the master dead', 10_000, async () => {
    return (await fields(sentinel.port, 'flags')).includes('s_down')
  })
}

async function admit({ master }: Group, sentinel: Program): Promise<void> {
  await ask(master.port, 'ACL', 'SETUSER', `watcher-${sentinel.port}`, '+ping')
  await until('it sees the master again', KNOWN_MS, async () => {
    return (await fields(sentinel.port, 'flags')) === 'master'
  })
}

function expectPeace({ sentinels }: Group): void {
  for (const one of sentinels) expect(one.log()).not.toMatch(/\+(odown|try-failover|switch-master)/)
}

async function untilReplaced({ replica, sentinels }: Group): Promise<void> {
  for (const { port } of sentinels) {
    await until(`${port} names the replica as the master`, ORDINARY_MS, async () => {
      const answer = await ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
      return answer === `127.0.0.1 ${replica.port}`
    })
  }
}

/** It asks the others once a second, and the rogues answer each time. */
async function untilAsked(liar: Liar): Promise<void> {
  const before = liar.heard.length
  const questions = () => liar.heard.slice(before).filter((one) => one.startsWith('SENTINEL is-'))
  await until('the rogue has been asked twice', 10_000, () => questions().length >= 2)
}

/** They have answered the PINGs of honest ones for many times down-after. */
async function untilHelloed(liars: readonly Liar[]): Promise<void> {
  const pings = ({ heard }: Liar) => heard.filter((one) => one === 'PING').length
  await until('the rogues are on good terms', KNOWN_MS, () => liars.every((one) => pings(one) >= 9))
}

const LIES: Readonly<Record<string, Answers>> = {
  'says the master is down and votes for itself': opinion(true, runIdOf('d')),
  'says the master is down and votes for nobody': opinion(true, 'nobody'),
  'votes for a stranger in another epoch': () => `*3\r\n:1\r\n$1\r\n9\r\n:7\r\n`,
  'answers with something else': () => '*3\r\n*1\r\n*0\r\n$-1\r\n:-1\r\n',
}

test('one rogue, whatever it says to a Sentinel that is refused: a healthy master stays, a dead one is replaced', async (context) => {
  const group = await start(context, { quorum: 3 })
  const [rogue] = (await rogues(context, group, 1, opinion(true, 'asker'))) as [Liar]
  // One that sees the master asks nobody.
  const [refused] = group.sentinels as [Program]
  await refuse(group, refused)
  for (const lie of Object.values(LIES)) {
    rogue.answers = asSentinel(rogue.runId, lie)
    await untilAsked(rogue)
  }
  rogue.answers = asSentinel(rogue.runId, opinion(true, rogue.runId))
  expectPeace(group)
  await admit(group, refused)
  await group.master.kill()
  await untilReplaced(group)
})

test('as many rogues as the quorum less one: a healthy master stays, a dead one is replaced without their votes', async (context) => {
  const group = await start(context, { quorum: 3 })
  const liars = await rogues(context, group, 2, opinion(true, 'nobody'))
  await untilHelloed(liars)
  expectPeace(group)
  await group.master.kill()
  await untilReplaced(group)
})

/** What no Sentinel can know: that a word of somebody it was led to know is a lie. */
describe.each(KINDS)('limits of the protocol, %s', (_name, isRedis) => {
  test('rogues to fill the quorum and one Sentinel the master refuses: a healthy master is replaced', async (context) => {
    const group = await start(context, { quorum: 2, isRedis })
    await rogues(context, group, 1, opinion(true, 'asker'))
    await refuse(group, group.sentinels[0] as Program)
    await untilReplaced(group)
  })

  test('whoever may publish hellos moves the master with a higher config epoch', async (context) => {
    const group = await start(context, { quorum: 2, isRedis })
    const id = runIdOf('d')
    const rogue = await Liar.listen(context, id, asSentinel(id, opinion(false, 'nobody')))
    await rogue.greet(group.master.port, 5, group.replica.port, 5)
    await untilReplaced(group)
  })
})

const STORM = 3_000
/** Each costs a redis-sentinel a save of its own. */
const REDIS_STORM = 30

/** Rising epochs, each with a vote for somebody nobody knows; `atOnce` of them in a pipeline. */
async function voteStorm(
  { master, sentinels }: Group,
  count: number,
  atOnce: number,
): Promise<void> {
  const question = ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', String(master.port)]
  const storm = Array.from({ length: count }, (_, n) => [...question, `${n + 1}`, runIdOf('9')])
  await Promise.all(
    sentinels.map(async ({ port }) => {
      for (let from = 0; from < count; from += atOnce) {
        const replies = await say(port, ...storm.slice(from, from + atOnce))
        expect(replies).toHaveLength(Math.min(atOnce, count - from))
      }
    }),
  )
}

test('a storm of vote requests from a stranger: supervision goes on, and a dead master is replaced in ordinary time', async (context) => {
  const group = await start(context, { quorum: 2 })
  await voteStorm(group, STORM, STORM)
  expectPeace(group)
  await group.master.kill()
  await untilReplaced(group)
})

describe.skipIf(!HAS_REDIS_SENTINEL)('needs redis-sentinel', () => {
  test('the same storm makes redis-sentinels wait for twice the failover-timeout', async (context) => {
    const group = await start(context, { quorum: 2, isRedis: true })
    // With a pipeline of saves it would be silent for two seconds on a busy machine, and go into TILT.
    await voteStorm(group, REDIS_STORM, 1)
    await group.master.kill()
    const [first] = group.sentinels as [Program]
    await until('it is announced', 15_000, () => first.log().includes('Next failover delay'))
  })
})
