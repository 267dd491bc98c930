/** How many bytes the values take that a script can still reach. */
import { LuaTable } from '../table.ts'
import { Box, LuaObject, type LuaValue } from '../values.ts'
import { Coroutine } from './coroutine.ts'
import { Closure } from './functions.ts'

const OBJECT_BYTES = 80
const FRAME_BYTES = 200
/** Shorter strings are counted at each place; longer ones once, however often they are kept. */
const SHARED_BYTES = 64

export function measureReach(roots: readonly unknown[], thread: Coroutine): number {
  const reach = new Reach()
  for (const root of roots) reach.add(root)
  for (let each: Coroutine | undefined = thread; each !== undefined; each = each.resumer) {
    reach.add(each)
  }
  return reach.walk()
}

class Reach {
  #bytes = 0
  readonly #seen = new Set<unknown>()
  readonly #waiting: (LuaObject | Box)[] = []

  add(value: unknown): void {
    if (typeof value === 'string') {
      this.#text(value)
    } else if ((value instanceof LuaObject || value instanceof Box) && !this.#seen.has(value)) {
      this.#seen.add(value)
      this.#waiting.push(value)
    }
  }

  /** Whole bytes: INFO shows the sum. */
  walk(): number {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#visit(next)
    }
    return Math.ceil(this.#bytes)
  }

  #text(text: string): void {
    if (text.length <= SHARED_BYTES) {
      this.#bytes += text.length / 2
    } else if (!this.#seen.has(text)) {
      this.#seen.add(text)
      this.#bytes += text.length + 32
    }
  }

  #visit(object: LuaObject | Box): void {
    if (object instanceof LuaTable) return this.#table(object)
    this.#bytes += OBJECT_BYTES
    if (object instanceof Box) this.add(object.value)
    else if (object instanceof Closure) for (const box of object.upvalues) this.add(box)
    else if (object instanceof Coroutine) this.#coroutine(object)
  }

  #table(table: LuaTable): void {
    this.#bytes += table.ownBytes
    this.add(table.metatable)
    for (let at = table.nextIndex(0); at >= 0; at = table.nextIndex(at + 1)) {
      this.add(table.keyAt(at))
      this.add(table.valueAt(at))
    }
  }

  #coroutine({ stack, frames, body }: Coroutine): void {
    this.#bytes += stack.length * 8 + frames.length * FRAME_BYTES
    this.add(body)
    for (const value of stack as LuaValue[]) this.add(value)
    for (const frame of frames) {
      this.add(frame.closure)
      this.add(frame.handler)
      for (const value of frame.varargs) this.add(value)
    }
  }
}
