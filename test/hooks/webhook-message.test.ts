import { expect, test } from 'vitest'
import { eventInWords } from '../../src/hooks/event-document.ts'
import { type MessageTemplate, parseTemplate } from '../../src/hooks/template.ts'
import type { WebhookTemplate } from '../../src/hooks/webhook-config.ts'
import { webhookMessage } from '../../src/hooks/webhook-message.ts'
import { odown } from './support.ts'

const SENDER = { host: 'box1', port: 26_379 }
const PLACE = { time: '2026-11-23T00:00:00.000Z', sequence: 7, dropped: 2 }

function sent(template: WebhookTemplate, event = odown()) {
  return webhookMessage(template, event, SENDER, 'id-7', PLACE)
}

function template(source: string): MessageTemplate {
  const parsed = parseTemplate(source)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed
}

test('the whole event, as docs/hooks.md shows it', () => {
  const { contentType, body } = sent({ kind: 'json' })
  expect(contentType).toBe('application/json')
  expect(JSON.parse(body)).toEqual({
    ...{ type: 'vedette.event', id: 'id-7', time: '2026-11-23T00:00:00.000Z', level: 'warning' },
    ...{ event: '+odown', group: 'gé', epoch: 4, configEpoch: 3, evidence: 'quorum 2/2' },
    instance: { role: 'master', host: '10.0.0.1', port: 6379 },
    master: { host: '10.0.0.1', port: 6379 },
    details: { agreeing: 2, needed: 2 },
    by: 'a'.repeat(40),
    payload: 'master gé 10.0.0.1 6379 #quorum 2/2',
    summary: 'master 10.0.0.1:6379 is down: 2 agree',
    sentinel: { runId: 'a'.repeat(40), host: 'box1', port: 26_379 },
    ...{ sequence: 7, dropped: 2 },
  })
})

test('chat systems get one text, under the key they want', () => {
  const message = template('{group} {event}: {summary} (Sentinel {sentinel})')
  const text = 'gé +odown: master 10.0.0.1:6379 is down: 2 agree (Sentinel box1:26379)'
  expect(JSON.parse(sent({ kind: 'slack', message }).body)).toEqual({ text })
  expect(JSON.parse(sent({ kind: 'discord', message }).body)).toEqual({ content: text })
  expect(sent({ kind: 'text', message })).toEqual({
    contentType: 'text/plain; charset=utf-8',
    body: text,
  })
})

test('for Slack, what comes from outside cannot mention a channel or forge a link', () => {
  const group = { ...odown().group!, name: '<!channel>&' }
  const message = template('<https://wiki|{group}>')
  expect(JSON.parse(sent({ kind: 'slack', message }, odown({ group })).body)).toEqual({
    text: '<https://wiki|&lt;!channel&gt;&amp;>',
  })
})

test('an IPv6 address with a port has brackets, or nobody could tell where it ends', () => {
  const at = { host: 'fd00::1', port: 6379 }
  const event = odown({
    group: { ...odown().group!, master: at },
    instance: { ...at, role: 'master', runId: '' },
  })
  const message = template('{instance} {master} {sentinel} {summary}')
  const { body } = webhookMessage({ kind: 'text', message }, event, at, 'id-7', PLACE)
  const [all, down] = ['[fd00::1]:6379', 'master [fd00::1]:6379 is down: 2 agree']
  expect(body).toBe(`${all} ${all} ${all} ${down}`)
})

test('a switch between IPv6 addresses is told with brackets', () => {
  const switched = { oldHost: '::1', oldPort: 6379, newHost: '::1', newPort: 6380 }
  expect(eventInWords(odown({ name: '+switch-master', details: switched }))).toContain('[::1]:6380')
})

test('a placeholder without a value for this event is empty, and a doubled brace a brace', () => {
  const event = odown({ name: '+tilt', group: undefined, instance: undefined, details: {} })
  const message = template('{{{event}} [{group}{host}{details.agreeing}{details.constructor}]')
  expect(sent({ kind: 'text', message }, event).body).toBe('{+tilt} []')
})

test('values are not templates: a group called {secret} stays what it is', () => {
  const group = { ...odown().group!, name: '{payload}' }
  expect(sent({ kind: 'text', message: template('{group}') }, odown({ group })).body).toBe(
    '{payload}',
  )
})

test.each([
  ['{grup}', '{grup} is no placeholder'],
  ['{group', 'a brace is not closed; write {{ for a brace'],
  ['{constructor}', '{constructor} is no placeholder'],
])('the template %s is refused', (source, fault) => {
  expect(parseTemplate(source)).toEqual({ fault })
})

test('a switch is told with addresses, where the live view tells ports', () => {
  const details = {
    group: 'g',
    oldHost: '10.0.0.1',
    oldPort: 6379,
    newHost: '10.0.0.2',
    newPort: 6379,
  }
  const event = odown({ name: '+switch-master', instance: undefined, details })
  expect(eventInWords(event)).toBe('the master is 10.0.0.2:6379 now, it was 10.0.0.1:6379')
})
