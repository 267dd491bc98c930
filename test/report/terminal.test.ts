import { expect, test } from 'vitest'
import { renderForTerminal } from '../../src/report/terminal.ts'
import { PLAIN } from '../../src/scenario/report.ts'
import { play } from './support.ts'

async function draw(width: number): Promise<string> {
  const { file, result, history } = await play()
  return renderForTerminal(file, result, history, { width, painter: PLAIN })
}

test('a wide terminal gets verdict, reasons and swim lanes, and no list beside them', async () => {
  const text = await draw(120)
  expect(text).toMatch(/^PASSED/)
  expect(text).toContain('What broke: kill n1')
  expect(text).toContain('━━ kill n1 ━━')
  expect(text).not.toContain('! kill n1')
})

test('a narrow one gets the list', async () => {
  const text = await draw(60)
  expect(text).toContain('! kill n1')
  expect(text).not.toContain('━━')
})
