/**
 * A slice is counted in instructions, and what natives do counts as well: by the bytes and values they
 * work on. Otherwise a few instructions would keep everybody else waiting.
 */
import { describe, expect, test } from 'vitest'
import { Closure } from '../../src/lua/machine/functions.ts'
import { newMachine } from './run-here.ts'

/** About five milliseconds of work, as in src/server/scripting/engine.ts. */
const SLICE = 250_000

/** Each would take tens of milliseconds. */
const LONG: readonly string[] = [
  "local s = ('x'):rep(1000000) for i = 1, 6 do redis.sha1hex(s) end",
  "local s = ('x'):rep(1000000) for i = 1, 4 do s:upper() end",
  "local s = ('X'):rep(1000000) for i = 1, 4 do s:lower() end",
  "local s = ('x'):rep(1000000) for i = 1, 4 do s:reverse() end",
  "local s = ('x'):rep(7000) for i = 1, 200 do s:byte(1, -1) end",
  'local t = {} for i = 1, 7000 do t[i] = 65 end for i = 1, 100 do string.char(unpack(t)) end',
  "local s = ('x'):rep(10000) for i = 1, 20 do s:gsub('x', 'yy') end",
  'local t = {} for i = 1, 9000 do t[i] = {a = i} end for i = 1, 3 do cjson.encode(t) end',
  `local s = '[' .. ('{"a":1},'):rep(15000) .. '1]' for i = 1, 4 do cjson.decode(s) end`,
  'local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 4 do cmsgpack.unpack(cmsgpack.pack(t)) end',
  "local t = {} for i = 1, 100 do t[i] = ('x'):rep(100000) end for i = 1, 4 do cmsgpack.pack(t) end",
]

describe('what natives do is work of the script', () => {
  test.each(LONG)('%s', (program) => {
    const machine = newMachine()
    const closure = machine.load(program, '@user_script')
    if (!(closure instanceof Closure)) throw new Error(closure.message)
    machine.begin(closure, [])
    let slices = 1
    while (machine.run(SLICE) === undefined) slices++
    expect(slices).toBeGreaterThan(3)
  })
})
