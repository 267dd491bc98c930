/** What `vedette sentinel` starts with: the same errors as `vedette check` has, in both forms of the file. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSentinelFile } from '../../src/cli/sentinel/sentinel-config.ts'
import { scratchFolder } from '../support/scratch.ts'

const VOTERS = ['10.0.0.1:6379', '10.0.0.2:6379', '10.0.0.3:6379']

test('a Sentinel does not start with a strict group whose voters can keep no promise', () => {
  const yml = (voters: readonly string[]) =>
    `groups:\n  g: {master: "10.0.0.1:6379", quorum: 2, replication: strict, voters: ${JSON.stringify(voters)}}\n`
  const conf = (voters: readonly string[]) =>
    [
      'sentinel monitor g 10.0.0.1 6379 2',
      'sentinel replication g strict',
      ...voters.map((voter) => `sentinel voter g ${voter}`),
    ].join('\n')
  for (const [name, write] of Object.entries({ 's.yml': yml, 's.conf': conf })) {
    expect(errorsOf(name, write(VOTERS)), name).toEqual([])
    expect(errorsOf(name, write([])), name).toEqual(['E_VOTERS'])
    expect(errorsOf(name, write(VOTERS.slice(1))), name).toEqual(['E_VOTERS'])
  }
})

test('an example or a copy of a sentinel.yml is read as one, and not as a sentinel.conf', () => {
  const yml = 'groups:\n  g: {master: "10.0.0.1:6379", quorum: 2}\n'
  for (const name of ['sentinel.yml.example', 's.yaml.bak', 'S.YML']) {
    expect(errorsOf(name, yml), name).toEqual([])
  }
  expect(errorsOf('yml.conf', 'sentinel monitor g 10.0.0.1 6379 2')).toEqual([])
})

function errorsOf(name: string, text: string): readonly string[] {
  const path = `${scratchFolder('sentinel-config')}/${name}`
  writeFileSync(path, text)
  const parsed = readSentinelFile({ path, overrides: [] })
  if (parsed.ok) return []
  return parsed.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)
}
