/** Which tokens a program starts with. */
import { expect, test } from 'vitest'
import { NO_HTTP } from '../../../src/config/http-options.ts'
import { HttpToken } from '../../../src/io/http/token.ts'

const withToken = (token: string) => new HttpToken({ ...NO_HTTP, token })

test('a token that no client could send is refused at the start: it would shut everybody out', () => {
  expect(() => withToken('größe-größe-größe')).toThrow('http-token has characters beyond ASCII')
  expect(() => withToken('0123456789abcde')).toThrow('http-token is shorter than 16 characters')
})

test('a token may have every sign of ASCII, and admits whoever sends it', () => {
  const token = `0123456789ab!"#$%&'()*+,/:;<=>?@[]^{|}~`
  expect(withToken(token).admits(`Bearer ${token}`)).toBe(true)
})
