import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { signatureHeaders } from '../../../src/io/hooks/webhook.ts'

// The example of https://github.com/standard-webhooks/standard-webhooks, which its libraries check themselves with.
test('the signature is the one that the libraries of Standard Webhooks expect', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const body = '{"test": 2432232314}'
  const headers = signatureHeaders(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', body, 1_614_265_330)
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a secret without that prefix is its own bytes', () => {
  const headers = signatureHeaders('geheim', 'id', 'body', 5)
  const hmac = createHmac('sha256', 'geheim').update('id.5.body').digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${hmac}`)
})

test('without a secret nothing is signed, and the id still tells repetitions', () => {
  expect(signatureHeaders(undefined, 'id', 'body', 5)).toEqual({
    'webhook-id': 'id',
    'webhook-timestamp': '5',
  })
})
