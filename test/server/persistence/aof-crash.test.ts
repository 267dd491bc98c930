/**
 * What survives a crash at any moment. The long run of the same: test/lab/crash.test.ts.
 */
import { describe, expect, test } from 'vitest'
import { crash, crashTwice, type Policy, record } from '../../support/aof-crash.ts'

const HISTORIES = 6

describe.each<Policy>(['always', 'everysec', 'no'])('appendfsync %s', (policy) => {
  test.each(Array.from({ length: HISTORIES }, (_, index) => index))('history %i', (index) => {
    const recording = record(`${policy} ${index}`, policy)
    const problems: string[] = []
    for (let at = 0; at <= recording.operations.length; at++) {
      const found = crash(recording, at, 'power') ?? crash(recording, at, 'kill')
      if (found !== undefined) problems.push(found)
    }
    const twice = crashTwice(recording, Math.floor(recording.operations.length / 2))
    expect([...problems, ...(twice === undefined ? [] : [twice])]).toEqual([])
  })
})
