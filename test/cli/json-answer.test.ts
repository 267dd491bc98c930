/** A program that asks for JSON gets JSON, whatever a command fails of. */
import { describe, expect, test } from 'vitest'
import { failureTold } from '../../src/cli/report.ts'
import { statusJson } from '../../src/cli/status/json.ts'
import { judge } from '../../src/cli/status/judge.ts'

describe('what was told, for programs', () => {
  test('an error with its hint', () => {
    const lines = ['vedette: cannot read a: ENOENT', '  check the name']
    expect(failureTold(lines)).toEqual({
      error: 'cannot read a: ENOENT',
      hint: 'check the name',
    })
  })

  test('several errors, one behind the other', () => {
    const lines = ['vedette: s1 does not answer', 'vedette: s2 does not answer', '  start one']
    expect(failureTold(lines).error).toBe('s1 does not answer; s2 does not answer')
  })

  test('a note and its second line are no error', () => {
    const lines = ['note: the group is paused', '  an order is carried out', 'vedette: refused']
    expect(failureTold(lines)).toEqual({ error: 'refused' })
  })
})

test('status names the error where it has nothing to show', () => {
  const lost = {
    address: 's1:26379',
    myid: '',
    process: undefined,
    program: '',
    isTilted: false,
    remarks: [],
    unreached: [],
  }
  const report = judge([{ ...lost, failure: 'ECONNREFUSED', groups: [] }], undefined)
  expect(JSON.parse(statusJson(report))).toMatchObject({ error: 'no Sentinel answers' })
})
