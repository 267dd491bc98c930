/** What was sent to a master that is gone, and is refused because no other was confirmed for the time of hold. */
import { expect, test } from 'vitest'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const NO_MASTER = /^-NOMASTER [^\r]* was not carried out[^\r]*\r\n$/

/** The last command has no answer when A is lost, and B comes after hold. */
function refused(answered: Readonly<Record<string, string>>, last: string) {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends(...Object.keys(answered), last)
  stage.server(A).says(...Object.values(answered))
  client.takes()
  stage.refused.add(A)
  stage.server(A).breaks()
  stage.pass(11_000)
  expect(client.takes()).toMatch(NO_MASTER)
  return { stage, client }
}

test('a MULTI that is refused begins no transaction', () => {
  const { stage, client } = refused({ PING: '+PONG' }, 'MULTI')
  client.sends('INCR a')
  expect(client.takes()).toMatch(NO_MASTER)
  stage.switchTo(B)
  client.sends('INCR b')
  expect(stage.server(B).takes()).toEqual(['INCR b'])
})

test('a transaction of which a command is refused is not carried out', () => {
  const { stage, client } = refused({ MULTI: '+OK', 'INCR a': '+QUEUED' }, 'INCR b')
  stage.switchTo(B)
  client.sends('EXEC', 'INCR c')
  expect(client.takes()).toMatch(/^-EXECABORT [^\r]* no master\. [^\r]*\r\n$/)
  expect(stage.server(B).takes()).toEqual(['INCR c'])
})

test('a SUBSCRIBE that is refused counts no longer: UNSUBSCRIBE has one answer', () => {
  const { stage, client } = refused({ PING: '+PONG' }, 'SUBSCRIBE one two')
  stage.switchTo(B)
  client.sends('UNSUBSCRIBE')
  stage.server(B).says('*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0')
  client.sends('INCR a')
  stage.server(B).says(':1')
  stage.pass(200)
  client.sends('INCR b')
  expect(stage.server(B).takes()).toEqual(['UNSUBSCRIBE', 'INCR a', 'INCR b'])
})
