/** A script that a client has left with one master is with the next one, too: libraries rely on it. */
import { expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const NOT_COMPILED =
  '-ERR Error compiling script (new function): user_script:1: =  expected near no'

function stageWith(...commands: readonly (readonly string[])[]) {
  const stage = new ProxyStage()
  const client = stage.client()
  for (const argv of commands) {
    client.sendsBytes(encodeCommand(argv))
    stage.server(A).says('+OK')
  }
  client.takes()
  return { stage, client }
}

/** What the next master is told before the command of the client. */
function told(...commands: readonly (readonly string[])[]): readonly string[] {
  const { stage, client } = stageWith(...commands)
  stage.switchTo(B)
  client.sends('GET a')
  return stage.server(B).takes()
}

test.each([
  ['EVAL', ['EVAL', 'return-1', '0']],
  ['EVAL_RO in other letters', ['eval_Ro', 'return-1', '1', 'key']],
  ['SCRIPT LOAD', ['script', 'load', 'return-1']],
])('%s: the next master is given the script before anything else', (_, argv) => {
  const { stage, client } = stageWith(argv, argv)
  stage.switchTo(B)
  client.sends('MULTI', 'EVALSHA abc 0')
  expect(stage.server(B).takes()).toEqual(['SCRIPT LOAD return-1'])
  stage.server(B).says('$3\r\nabc')
  expect(stage.server(B).takes()).toEqual(['MULTI', 'EVALSHA abc 0'])
  stage.server(B).says('+OK', '+QUEUED')
  expect(client.takes()).toBe('+OK\r\n+QUEUED\r\n')
})

test('a script that was given in a pipeline is carried over, too', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('SET a 1', 'EVAL return-1 0', 'GET a')
  stage.server(A).says('+OK', ':1', '$1\r\n1')
  stage.switchTo(B)
  client.sends('GET a')
  expect(stage.server(B).takes()).toEqual(['SCRIPT LOAD return-1'])
})

test('scripts come behind the user, the name and the database, and before subscriptions', () => {
  const { stage, client } = stageWith(['SELECT', '2'], ['EVAL', 'x', '0'])
  client.sends('SUBSCRIBE news')
  stage.server(A).says('*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1')
  stage.switchTo(B)
  expect(stage.server(B).takes()).toEqual(['SELECT 2', 'SCRIPT LOAD x', 'SUBSCRIBE news'])
})

test('what SCRIPT FLUSH has taken away is not brought back', () => {
  expect(told(['EVAL', 'x', '0'], ['SCRIPT', 'FLUSH'], ['EVAL', 'y', '0'])).toEqual([
    'SCRIPT LOAD y',
  ])
})

test.each([NOT_COMPILED, '-NOPERM this user has no permissions to run the script|load command'])(
  'a master that does not take a script serves the client all the same: %s',
  (refusal) => {
    const { stage, client } = stageWith(['EVAL', 'no script', '0'])
    stage.switchTo(B)
    client.sends('GET a')
    stage.server(B).says(refusal)
    stage.server(B).says('$1\r\n7')
    expect([client.takes(), client.isClosed]).toEqual(['$1\r\n7\r\n', false])
  },
)

test('a master that is still loading is asked again, with the script', () => {
  const { stage, client } = stageWith(['EVAL', 'x', '0'])
  stage.switchTo(B)
  client.sends('GET a')
  stage.server(B).says('-LOADING Redis is loading the dataset in memory')
  stage.pass(500)
  expect(stage.server(B).takes()).toEqual(['SCRIPT LOAD x'])
})

test('a client with more scripts than are kept is closed when the master changes', () => {
  const scripts = Array.from({ length: 11 }, (_, n) => ['EVAL', `${n}`.padEnd(50_000), '0'])
  const { stage, client } = stageWith(...scripts)
  expect(client.isClosed).toBe(false)
  stage.switchTo(B)
  expect(client.isClosed).toBe(true)
})

test('of a long EVAL the script is carried, without what it was given', () => {
  const argument = 'v'.repeat(200_000)
  expect(told(['EVAL', 'x', '0', argument])).toEqual(['SCRIPT LOAD x'])
})
