/** The tokens of a chunk, one ahead, and what is wrong with them. */
import { Lexer, type Token } from './lexer.ts'

/** How deep statements and expressions may be nested. */
const MAX_LEVELS = 200

export class TokenReader {
  protected readonly lexer: Lexer
  protected token: Token
  protected ahead: Token | undefined
  /** The line of the token before `token`. */
  protected lastLine = 1
  /** The line of `token`. */
  protected line = 1
  protected levels = 0

  constructor(text: string, chunkName: string) {
    this.lexer = new Lexer(text, chunkName)
    this.token = this.lexer.next()
    this.line = this.lexer.line
  }

  protected next(): void {
    this.lastLine = this.line
    this.token = this.ahead ?? this.lexer.next()
    this.ahead = undefined
    this.line = this.lexer.line
  }

  protected is(symbol: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === symbol
  }

  protected take(symbol: string): boolean {
    if (!this.is(symbol)) return false
    this.next()
    return true
  }

  protected must(symbol: string): void {
    if (!this.take(symbol)) this.expected(symbol)
  }

  /** The end of what began with `open` in line `line`. */
  protected close(symbol: string, open: string, line: number): void {
    if (this.take(symbol)) return
    if (line === this.line) this.expected(symbol)
    this.fail(`'${symbol}' expected (to close '${open}' at line ${line})`)
  }

  protected name(): string {
    const { kind, text } = this.token
    if (kind !== 'name') this.fail("'<name>' expected")
    this.next()
    return text
  }

  protected expected(symbol: string): never {
    this.fail(`'${symbol}' expected`)
  }

  protected fail(message: string): never {
    this.lexer.fail(message, this.token.shown)
  }

  protected deeper<T>(parse: () => T): T {
    if (++this.levels > MAX_LEVELS) this.lexer.fail('chunk has too many syntax levels')
    const result = parse()
    this.levels--
    return result
  }
}
