/**
 * [http-token, http-token-file] The secret that whoever steers must show. Compared as digests, in constant
 * time: neither its length nor its beginning can be found out by trying.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { HttpOptions } from '../../config/http-options.ts'
import { reasonOf, StartError } from '../start-error.ts'

/** An attacker who tries as many tokens as the network allows must not find one. */
const TOKEN_MIN = 16

export class HttpToken {
  readonly #options: HttpOptions
  #digest: Buffer | undefined

  /** Throws a StartError that says which setting is wrong. */
  constructor(options: HttpOptions) {
    this.#options = options
    this.reload()
  }

  get isSet(): boolean {
    return this.#digest !== undefined
  }

  /** Reads the file again. Throws a StartError, and then the token stays as it was. */
  reload(): void {
    const token = readToken(this.#options)
    this.#digest = token === '' ? undefined : digestOf(token)
  }

  /** `header`: the value of Authorization. */
  admits(header: string | undefined): boolean {
    const [, shown = ''] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? []
    if (this.#digest === undefined || shown === '') return false
    return timingSafeEqual(digestOf(shown), this.#digest)
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function readToken({ token, tokenFile }: HttpOptions): string {
  if (token !== '' && tokenFile !== '') {
    throw fault('http-token and http-token-file are both set', 'set one of them')
  }
  const found = tokenFile === '' ? token : readTokenFile(tokenFile)
  if (tokenFile === '' && found === '') return ''
  const setting = tokenFile === '' ? 'http-token' : `the token in http-token-file ${tokenFile}`
  if (/\s/.test(found)) throw fault(`${setting} contains blanks`, MAKE_ONE)
  // A header is no place for them: a browser refuses to send it, and what curl sends is read as Latin-1.
  if (/[^!-~]/.test(found)) throw fault(`${setting} has characters beyond ASCII`, MAKE_ONE)
  if (found.length >= TOKEN_MIN) return found
  throw fault(`${setting} is shorter than ${TOKEN_MIN} characters`, MAKE_ONE)
}

const MAKE_ONE = 'openssl rand -hex 32 makes one'

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw fault(
      `http-token-file ${path} cannot be read: ${reasonOf(error)}`,
      'check path and owner',
    )
  }
}

function fault(message: string, hint: string): StartError {
  return new StartError('E_HTTP', message, hint)
}
