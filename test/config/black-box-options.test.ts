import { describe, expect, test } from 'vitest'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

const MB = 1024 * 1024

function yml(...lines: string[]) {
  return parseSentinelYml(lines.join('\n'), 'sentinel.yml')
}

function conf(...lines: string[]) {
  return parseSentinelConf(lines.join('\n'), 'sentinel.conf', [])
}

describe('the options of the black box', () => {
  test('are off, 256 MB and 14 days unless a file says otherwise', () => {
    const parsed = yml('port: 26379')
    const expected = { isOn: false, maxBytes: 256 * MB, maxDays: 14 }
    expect(parsed.ok && parsed.value.blackBox).toEqual(expected)
    const other = conf('port 26379')
    expect(other.ok && other.value.blackBox).toEqual(expected)
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
