/**
 * The scripts that EVALSHA can name. Those that clients load stay until SCRIPT FLUSH; of those that
 * merely came with EVAL the oldest give way, because clients that write their arguments into the
 * script would fill the memory otherwise. Redis does the same since 7.4.
 */
import { Closure } from '../../lua/machine/functions.ts'
import type { Machine } from '../../lua/machine/machine.ts'
import type { ScriptFlags } from './run.ts'
import { sha1Hex } from './sha1-hex.ts'
import { readShebang } from './shebang.ts'

const MAX_PASSING = 500

export interface Script {
  readonly id: string
  readonly closure: Closure
  readonly flags: ScriptFlags
  readonly bytes: number
  readonly source: string
}

export type Compilation =
  | { readonly ok: true; readonly script: Script }
  /** Without its code. */
  | { readonly ok: false; readonly error: string }

export class ScriptCache {
  readonly #machine: () => Machine
  readonly #byId = new Map<string, Script>()
  #bytes = 0
  /** The scripts that came with EVAL, the oldest first. */
  readonly #passing = new Map<string, Script>()

  constructor(machine: () => Machine) {
    this.#machine = machine
  }

  get size(): number {
    return this.#byId.size
  }

  /** Roughly what they take in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** The digest may be written in capitals. */
  find(id: string): Script | undefined {
    return this.#byId.get(id) ?? (id.length === 40 ? this.#byId.get(id.toLowerCase()) : undefined)
  }

  /** Compiles a script that came with EVAL, unless it is known. */
  pass(source: string): Compilation {
    const known = this.#passing.get(source)
    if (known !== undefined) {
      this.#passing.delete(source)
      this.#passing.set(source, known)
      return { ok: true, script: known }
    }
    const id = sha1Hex(source)
    const loaded = this.#byId.get(id)
    if (loaded !== undefined) return { ok: true, script: loaded }
    const compiled = this.#compile(source, id)
    if (!compiled.ok) return compiled
    this.#passing.set(source, compiled.script)
    if (this.#passing.size > MAX_PASSING) this.#forgetOldest()
    return compiled
  }

  /** Compiles a script that is to stay. */
  load(source: string): Compilation {
    const id = sha1Hex(source)
    const known = this.#byId.get(id)
    if (known === undefined) return this.#compile(source, id)
    this.#passing.delete(source)
    return { ok: true, script: known }
  }

  clear(): void {
    this.#byId.clear()
    this.#bytes = 0
    this.#passing.clear()
  }

  #compile(source: string, id: string): Compilation {
    const shebang = readShebang(source)
    if (!shebang.ok) return shebang
    const closure = this.#machine().load(shebang.body, '@user_script')
    if (!(closure instanceof Closure)) {
      return { ok: false, error: `Error compiling script (new function): ${closure.message}` }
    }
    const { flags } = shebang
    const script = { id, closure, flags, source, bytes: source.length + closure.prototype.bytes }
    this.#byId.set(id, script)
    this.#bytes += script.bytes
    return { ok: true, script }
  }

  #forgetOldest(): void {
    const [oldest] = this.#passing.values()
    if (oldest === undefined) return
    this.#passing.delete(oldest.source)
    this.#byId.delete(oldest.id)
    this.#bytes -= oldest.bytes
  }
}
