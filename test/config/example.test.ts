import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keepsRecord } from '../../src/config/black-box-options.ts'
import { optionsAt } from '../../src/config/sentinel-schema.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'
import { readYml } from '../../src/config/yml-document.ts'
import { USUAL_BYTES } from '../../src/io/blackbox/segment-files.ts'

const EXAMPLE = readFileSync(new URL('../../sentinel.yml.example', import.meta.url), 'utf8')
/** `#option: value` is an option that is commented out, `# text` is a comment. */
const UNCOMMENTED = EXAMPLE.replace(/^( *)#([a-z])/gm, '$1$2')

function parse(text: string) {
  const parsed = parseSentinelYml(text, 'sentinel.yml.example')
  if (!parsed.ok) return parsed
  const { blackBox: given } = parsed.value
  const usual = { isOn: keepsRecord(given, 'sentinel'), maxBytes: given.maxBytes ?? USUAL_BYTES }
  return { ...parsed.value, blackBox: { ...given, ...usual }, locations: undefined }
}

test('the example is sound, as it stands and with every option in use', () => {
  expect(parse(EXAMPLE)).not.toHaveProperty('problems')
  expect(parse(UNCOMMENTED)).not.toHaveProperty('problems')
})

test('the example shows every option there is', () => {
  const { keys } = readYml(UNCOMMENTED, '')
  const options = [
    ...optionsAt([]),
    ...optionsAt(['tls']).map((name) => `tls.${name}`),
    ...optionsAt(['periods']).map((name) => `periods.${name}`),
    ...optionsAt(['groups', 'mymaster']).map((name) => `groups.mymaster.${name}`),
  ]
  const shown = [...keys.keys()].filter((key) => !key.startsWith('proxy.'))
  expect(shown.sort()).toEqual([...options, 'groups.mymaster'].sort())
})

test('the values it shows are the defaults', () => {
  const withoutDefault = {
    ...{ stateDir: undefined, stateFile: undefined, sentinels: undefined, proxy: undefined },
  }
  expect({ ...parse(UNCOMMENTED), ...withoutDefault }).toEqual(parse(EXAMPLE))
})

test('each option is preceded by what it means and its name elsewhere', () => {
  const { keys } = readYml(UNCOMMENTED, '')
  const lines = EXAMPLE.split('\n')
  const sections = ['groups', 'groups.mymaster', 'tls', 'periods']
  for (const [option, { line }] of keys) {
    if (sections.includes(option) || option.startsWith('proxy.')) continue
    const above = lines.slice(0, (line ?? 0) - 1).reverse()
    const comment = above
      .slice(
        0,
        above.findIndex((text) => !/^ *# /.test(text)),
      )
      .join('\n')
    expect(comment, option).toMatch(/\[[a-z-]+\]|No name in sentinel\.conf/)
  }
})
