/** The `http-…` directives of a Sentinel's file, which redis-sentinel does not know. */
import { utf8Text } from '../base/utf8.ts'
import { type Apply, flag, integer, one, WRONG_NUMBER } from './directive-words.ts'
import { type Draft, EXTENSION } from './sentinel-draft.ts'

export const HTTP_DIRECTIVES: readonly (readonly [name: string, apply: Apply])[] = [
  ['http-port', extension(integer(0, 65_535, ({ http }, port) => (http.port = port)))],
  ['http-bind', extension(setBind)],
  ['http-token', extension(one(setToken))],
  ['http-token-file', extension(one(setTokenFile))],
  ['http-tls', extension(flag(({ http }, isOn) => (http.tls = isOn)))],
]

function extension(apply: Apply): Apply {
  return (draft, words) => apply(draft, words) ?? EXTENSION
}

function setToken({ http }: Draft, token: string): undefined {
  http.token = utf8Text(token)
}

function setTokenFile({ http }: Draft, path: string): undefined {
  http.tokenFile = utf8Text(path)
}

/** Whether this machine has such addresses is found out when the port is opened. */
function setBind({ http }: Draft, words: readonly string[]) {
  if (words.length === 0) return WRONG_NUMBER
  http.bind = words.filter((word) => word !== '')
  return undefined
}
