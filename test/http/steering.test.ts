import { expect, test } from 'vitest'
import { steeringAnswer, steeringCommand } from '../../src/http/steering.ts'
import { error, OK } from '../../src/resp/reply.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

test('each order is one command of the Sentinel', () => {
  const words = (...given: Parameters<typeof steeringCommand>) => {
    const command = steeringCommand(...given)
    return 'fault' in command ? command.fault : command.argv.join(' ')
  }
  expect(words('failover', 'g', {})).toBe('SENTINEL FAILOVER g')
  expect(words('failover', 'g', { to: '[::1]:6379', dryRun: true })).toBe(
    'SENTINEL FAILOVER g TO ::1 6379 DRYRUN',
  )
  expect(words('switchover', 'g', { candidate: '10.0.0.2:6379' })).toBe(
    'SENTINEL FAILOVER g COORDINATED TO 10.0.0.2 6379',
  )
  expect(words('pause', 'g', { seconds: 60, reason: 'new switch' })).toBe(
    'SENTINEL PAUSE g 60 new switch',
  )
  expect(words('resume', 'g', {})).toBe('SENTINEL RESUME g')
})

test('a field that is misspelt, or has no sense, is refused by its name', () => {
  const fault = (...given: Parameters<typeof steeringCommand>) => steeringCommand(...given)
  expect(fault('failover', 'g', { dry_run: true })).toEqual({
    fault: "failover has no field 'dry_run'; it has group, to, candidate, dryRun",
  })
  expect(fault('failover', 'g', { to: 'nonsense' })).toEqual({ fault: 'to is a host:port' })
  const two = { to: '10.0.0.2:6379', candidate: '10.0.0.3:6379' }
  expect(fault('failover', 'g', two)).toEqual({
    fault: 'to and candidate name two replicas; one of the fields is enough',
  })
  for (const seconds of [undefined, 0, -1, 1.5, '60']) {
    expect(fault('pause', 'g', { seconds })).toHaveProperty('fault')
  }
})

test('what the Sentinel refuses becomes a 4xx with its own words', () => {
  const status = (text: string) => steeringAnswer(error(text)).status
  expect(status('INPROG Failover already in progress')).toBe(409)
  expect(status('NOGOODSLAVE No suitable replica to promote')).toBe(409)
  expect(status('ERR No such master with that name')).toBe(404)
  expect(steeringAnswer(error("ERR unknown subcommand 'X'"))).toEqual({
    status: 400,
    body: { ok: false, text: "ERR unknown subcommand 'X'", reply: null },
  })
  expect(steeringAnswer(OK).status).toBe(200)
})

test('a dry run has the status that the order would have, and the plan either way', () => {
  const stage = new SentinelStage()
  const plan = (...words: string[]) =>
    steeringAnswer(stage.ask('SENTINEL', 'FAILOVER', 'g', ...words, 'DRYRUN'))
  expect(plan()).toMatchObject({
    status: 200,
    body: {
      ok: true,
      text: expect.stringMatching(
        /^10\.0\.0\.\d:6379 would become the master in place of 10\.0\.0\.1:6379/,
      ),
      reply: { possible: 'yes', replicas: [{ part: 'promoted' }, { part: 'spare' }] },
    },
  })
  expect(plan('TO', '10.0.0.9', '6379')).toMatchObject({
    status: 409,
    body: {
      ok: false,
      text: expect.stringMatching(/^NOGOODSLAVE 10\.0\.0\.9:6379 cannot be promoted/),
      reply: { possible: 'no', steps: [] },
    },
  })
  expect(stage.times('+try-failover')).toEqual([])
})

test('an operator needs no password of the port, and is no connection that may be turned away', () => {
  const stage = new SentinelStage({
    requirepass: 'secret',
    maxClients: 0,
    protectedMode: true,
    peers: 0,
  })
  const local = { address: '127.0.0.1:0', localAddress: '127.0.0.1:0' }
  const bytes = '*2\r\n$8\r\nSENTINEL\r\n$4\r\nMYID\r\n'
  stage.feed({ kind: 'clientOpened', client: 999, ...local, isOperator: true })
  const from = stage.done.length
  stage.feed({ kind: 'received', client: 999, bytes })
  expect(stage.done.slice(from)).toMatchObject([{ kind: 'respond', reply: { kind: 'bulk' } }])
})
