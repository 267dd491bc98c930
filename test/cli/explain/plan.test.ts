import { expect, test } from 'vitest'
import { planLines, typedHere } from '../../../src/cli/plan/plan.ts'
import { planRemoval, planSwitchover, planUpgrade } from '../../../src/cli/plan/steps.ts'
import { dryRun, layout, type Told } from './group-view.ts'

function removal(told: Told, host: string, alsoIn: readonly string[] = []) {
  const group = layout(told)
  const one = group.sentinels.find((sentinel) => sentinel.host === host)
  if (one === undefined) throw new Error(`no Sentinel at ${host}`)
  return planRemoval(group, one, alsoIn)
}

function risks(work: ReturnType<typeof planUpgrade>): string {
  return work.steps.flatMap((step) => step.risks).join('\n')
}

test('a switchover hands over to the replica that the dry run names', () => {
  const work = planSwitchover(layout({ plan: dryRun('h3', 'h2') }))
  expect(work.obstacles).toEqual([])
  expect(work.steps.map(({ command }) => command)).toEqual([
    'vedette status g',
    'vedette failover g --coordinated --to h3:6379 --wait',
    'vedette status g',
  ])
  expect(work.back).toContain('--to h1:6379')
})

test('commands name the Sentinels that were named, and can be typed as they stand', () => {
  const work = planSwitchover(layout({ plan: dryRun('h3', 'h2') }))
  const typed = typedHere(work, { sentinel: ['h1:7500', 'h2:7500'] })
  const where = '--sentinel h1:7500 --sentinel h2:7500'
  expect(typed.steps.map(({ command }) => command)).toEqual([
    `vedette status g ${where}`,
    `vedette failover g ${where} --coordinated --to h3:6379 --wait`,
    `vedette status g ${where}`,
  ])
  expect(typed.back).toContain(`vedette failover g ${where} --coordinated`)
  expect(typedHere(work, {})).toEqual(work)
})

test('commands reach the Sentinels as the plan did, but for the password', () => {
  const work = planSwitchover(layout({ plan: dryRun('h3', 'h2') }))
  const access = { user: 'ann', pass: 'secret', tls: true, cacert: '/etc/ca.pem' }
  const [first] = typedHere(work, access).steps
  expect(first?.command).toBe('vedette status g --tls --user ann --cacert /etc/ca.pem')
})

test('a switchover that the Sentinels refuse has no steps, and says why of each replica', () => {
  const work = planSwitchover(layout({ plan: dryRun('h2!it is down', 'h3!it is down') }))
  expect(work.steps).toEqual([])
  expect(work.obstacles).toEqual([
    'the Sentinels refuse: NOGOODSLAVE No suitable replica to promote',
    'h2:6379: it is down',
    'h3:6379: it is down',
  ])
  expect(planLines('g', work).join('\n')).not.toContain('To undo it')
  const strangers = planSwitchover(layout({ program: 'redis 7.0.15' }))
  expect(strangers.obstacles[0]).toContain('no Vedette Sentinel')
})

test('where another replica was named, one that could be promoted is no obstacle', () => {
  const [able, lost] = dryRun('h2', 'h3!it is down').replicas
  const refused = {
    ...dryRun('h9!it is down'),
    replicas: [{ ...able!, part: 'spare' }, lost!],
  } as const
  expect(planSwitchover(layout({ plan: refused })).obstacles).toEqual([
    'the Sentinels refuse: NOGOODSLAVE No suitable replica to promote',
    'h3:6379: it is down',
  ])
})

test('an upgrade begins with the replica that is promoted last and ends with the Sentinels', () => {
  const work = planUpgrade(layout({ plan: dryRun('h3', 'h2') }))
  const order = work.steps.map(({ text }) => /h\d:\d+/.exec(text)?.[0])
  expect(order).toEqual([
    undefined,
    'h2:6379',
    'h3:6379',
    'h1:6379',
    'h1:6379',
    'h1:6379',
    'h1:26379',
    'h2:26379',
    'h3:26379',
    undefined,
  ])
  // Clients write meanwhile.
  expect(work.steps[1]?.until).toMatch(/its link up and 0 B behind or nearly so$/)
  expect(risks(work)).not.toContain('no failover')
  expect(work.steps.map(({ text }) => text)).toContain(
    'stop the Sentinel h1:26379 (vedette 0.1.0), upgrade it, and start it',
  )
})

test('an upgrade without a handover is not undone by one', () => {
  const command = 'vedette failover g --coordinated --to h1:6379'
  expect(planUpgrade(layout({ plan: dryRun('h3', 'h2') })).back).toContain(command)
  const strangers = planUpgrade(layout({ program: 'redis 7.0.15' }))
  expect(strangers.back).toContain('install the old version')
  expect(strangers.back).not.toContain('--coordinated')
})

test('an upgrade with one replica says that nothing could be promoted while it is away', () => {
  const work = planUpgrade(layout({ replicas: ['h2'], plan: dryRun('h2') }))
  expect(risks(work)).toContain(
    'if the master died during this step, there would be no failover: none of the remaining replicas may be promoted',
  )
})

test('an upgrade of two Sentinels says that neither can be away', () => {
  const work = planUpgrade(layout({ sentinels: ['h2', 'h3'], plan: dryRun('h2', 'h3') }))
  expect(risks(work)).toContain('one Sentinel could vote, and a leader needs 2 of 2')
})

test('a Sentinel is forgotten in every group that counts it', () => {
  const work = removal({}, 'h3', ['other'])
  expect(work.steps.map(({ command }) => command)).toEqual([
    '',
    'vedette forget g h3:26379',
    'vedette forget other h3:26379',
    'vedette explain g',
  ])
  expect(risks(work)).toContain('2 of 2 Sentinels will be needed: none may be lost')
})

test('where no Sentinel would be left, none may be lost either', () => {
  const told = risks(removal({ sentinels: ['h3'] }, 'h3'))
  expect(told).toContain(
    'a leader still needs 2 votes, more than there are Sentinels (1), and only 0 can vote',
  )
  expect(told).toContain(
    '2 Sentinels will be needed, and 0 will be there: no failover will be possible',
  )
})

test('a Sentinel is not removed below the quorum', () => {
  const work = removal({ master: { quorum: '3' } }, 'h3')
  expect(work.obstacles).toEqual([
    '2 Sentinels could not reach the quorum 3: first run SENTINEL SET g quorum 2 on all of them',
  ])
})

test('a redis-sentinel among the others has to be reset by hand', () => {
  const work = removal(
    { change: (one) => (one.address.startsWith('h2') ? { ...one, program: 'redis 7.0.15' } : one) },
    'h3',
  )
  expect(risks(work)).toContain('h2:26379 is a redis-sentinel, which cannot forget one Sentinel')
})

test('lines are folded, and the marks stand before the first of them', () => {
  const lines = planLines('g', planSwitchover(layout({ plan: dryRun('h3') })), 60)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60)
  expect(lines[1]).toBe('1. check that all is well')
})
