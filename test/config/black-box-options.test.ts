import { describe, expect, test } from 'vitest'
import { blackBoxReads, keepsRecord } from '../../src/config/black-box-options.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { DEFAULT_FILE } from '../../src/config/sentinel-file.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

const MB = 1024 * 1024

function yml(...lines: string[]) {
  return parseSentinelYml(lines.join('\n'), 'sentinel.yml')
}

function conf(...lines: string[]) {
  return parseSentinelConf(lines.join('\n'), 'sentinel.conf', [])
}

describe('the options of the black box', () => {
  test('are left to the program, and 14 days, unless a file says otherwise', () => {
    const parsed = yml('port: 26379')
    const expected = { isOn: undefined, maxBytes: undefined, maxDays: 14 }
    expect(parsed.ok && parsed.value.blackBox).toEqual(expected)
    const other = conf('port 26379')
    expect(other.ok && other.value.blackBox).toEqual(expected)
  })

  test('make a Sentinel of up to fifty groups record and a proxy not, unless a file says otherwise', () => {
    const { blackBox } = DEFAULT_FILE
    expect(keepsRecord(blackBox, 'sentinel')).toBe(true)
    expect(keepsRecord(blackBox, 'proxy')).toBe(false)
    expect(keepsRecord(blackBox, 'sentinel', 50)).toBe(true)
    expect(keepsRecord(blackBox, 'sentinel', 51)).toBe(false)
    for (const isOn of [true, false])
      for (const keeper of ['sentinel', 'proxy'] as const)
        expect(keepsRecord({ ...blackBox, isOn }, keeper, 1_000)).toBe(isOn)
  })

  test('need no restart if a file says what goes without saying', () => {
    const reads = new Map(blackBoxReads('sentinel')).get('black-box')
    const { blackBox } = DEFAULT_FILE
    expect(reads?.({ ...blackBox, isOn: true })).toBe(reads?.(blackBox))
  })

  test('mean the same in both kinds of files', () => {
    const wanted = { isOn: true, maxBytes: 8 * MB, maxDays: 3 }
    const parsed = yml('black-box: yes', 'black-box-size: 8mb', 'black-box-days: 3')
    expect(parsed.ok && parsed.value.blackBox).toEqual(wanted)
    const other = conf('black-box yes', 'black-box-size 8mb', 'black-box-days 3')
    expect(other.ok && other.value.blackBox).toEqual(wanted)
  })

  test.each([
    ['black-box: maybe', 'black-box maybe'],
    ['black-box-size: 64kb', 'black-box-size 64kb'],
    ['black-box-size: huge', 'black-box-size huge'],
    ['black-box-days: 0', 'black-box-days 0'],
    ['black-box-days: 36500', 'black-box-days 36500'],
  ])('%s is refused with its line, in both kinds of files', (line, directive) => {
    for (const parsed of [yml('port: 26379', line), conf('port 26379', directive)]) {
      expect(parsed.ok).toBe(false)
      const [problem] = parsed.ok ? [] : parsed.problems
      expect(problem).toMatchObject({ line: 2, severity: 'error' })
    }
  })
})
