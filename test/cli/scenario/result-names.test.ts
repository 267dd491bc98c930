import { expect, test } from 'vitest'
import { resultNames } from '../../../src/cli/scenario/result-names.ts'

function namesOf(...files: readonly string[]): readonly (string | undefined)[] {
  const names = resultNames(files)
  return files.map((file) => names.get(file))
}

test('results are called after their file', () => {
  expect(namesOf('/x/kill.yml', '/x/cut.yaml', 'kept.txt')).toEqual(['kill', 'cut', 'kept.txt'])
})

test('files that are called alike get the folders that tell them apart', () => {
  expect(namesOf('/t/shop/kill.yml', '/t/mail/kill.yml')).toEqual(['shop-kill', 'mail-kill'])
  expect(namesOf('/t/shop/x/kill.yml', '/t/mail/x/kill.yml')).toEqual([
    'shop-x-kill',
    'mail-x-kill',
  ])
})

test('a file with a name that another one could get keeps it for itself', () => {
  const names = namesOf('/shop/kill.yml', '/mail/kill.yml', '/t/shop-kill.yml')
  expect(new Set(names).size).toBe(3)
})

test('the ending counts where nothing else differs, and one file twice has one name', () => {
  expect(namesOf('/t/kill.yml', '/t/kill.yaml')).toEqual(['t-kill.yml', 't-kill.yaml'])
  expect(namesOf('/t/kill.yml', '/t/../t/kill.yml')).toEqual(['kill', 'kill'])
})
