/** WAIT behind a switch: the next master knows nothing of the writes before it, and would count replicas at once. */
import { expect, test } from 'vitest'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const MOVED = /^-UNANSWERED the writes before this [^\r]*\r\n$/

function written(...commands: readonly string[]) {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('SET a 1')
  stage.server(A).says('+OK')
  client.sends(...commands)
  client.takes()
  stage.server(A).takes()
  return { stage, client }
}

test('a WAIT that a demoted master sends away is not given to the next one', () => {
  const { stage, client } = written('WAIT 1 0')
  stage
    .server(A)
    .says(
      '-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
    )
  stage.switchTo(B)
  expect(client.takes()).toMatch(MOVED)
  client.sends('GET a')
  expect(stage.server(B).takes()).toEqual(['GET a'])
})

test('a WAIT behind a write that a master answered which is gone is told so, once', () => {
  const { stage, client } = written()
  stage.switchTo(B)
  client.sends('GET a')
  stage.server(B).says('$1\r\n1')
  client.takes()
  client.sends('WAIT 1 100')
  expect(client.takes()).toMatch(MOVED)
  client.sends('SET a 2', 'WAIT 1 100')
  stage.server(B).says('+OK', ':1')
  expect(client.takes()).toBe('+OK\r\n:1\r\n')
})

test('after a WAIT that was answered the next master may be asked', () => {
  const { stage, client } = written('WAIT 1 100')
  stage.server(A).says(':1')
  client.takes()
  stage.switchTo(B)
  client.sends('WAIT 1 100')
  stage.server(B).says(':1')
  expect(client.takes()).toBe(':1\r\n')
})

test('a WAIT whose master is lost is not asked again', () => {
  const { stage, client } = written('WAITAOF 1 0 0')
  stage.server(A).breaks()
  stage.switchTo(B)
  expect(client.takes()).toMatch(MOVED)
})
