/** `vedette scenario run --help` shows what docs/scenarios.md has. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addScenario } from '../../../src/cli/laboratory-commands.ts'

const PAGE = new URL('../../../docs/scenarios.md', import.meta.url)

function helpOfRun(): string {
  const program = new Command()
  addScenario(program)
  const run = program.commands[0]?.commands.find((one) => one.name() === 'run')
  return run?.helpInformation() ?? ''
}

test('every option of the page is in the help', () => {
  const rows = readFileSync(PAGE, 'utf8').match(/^\| `--[a-z]+/gm) ?? []
  const options = rows.map((row) => row.replace('| `', ''))
  expect(options).toContain('--grace')
  expect(options.filter((option) => !helpOfRun().includes(`  ${option} `))).toEqual([])
})
