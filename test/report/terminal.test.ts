import { expect, test } from 'vitest'
import { renderForLog, renderForTerminal } from '../../src/report/terminal.ts'
import { PLAIN } from '../../src/scenario/report.ts'
import { SOUND } from '../scenario/support.ts'
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

test('a log ends with the reasons of a run that failed, and only then', async () => {
  const log = async (text?: string) => {
    const { file, result, history } = await play(text)
    return renderForLog(file, result, history)
  }
  const failed = await log(
    SOUND.replaceAll('host: b', 'host: b, settings: { replica-priority: 0 }')
      .replace('host: c, replica-of', 'host: c, settings: { replica-priority: 0 }, replica-of')
      .replace('s2: { host: b, settings: { replica-priority: 0 } }', 's2: { host: b }'),
  )
  expect(failed).toMatch(/^FAILED/)
  expect(failed).toContain('! kill n1')
  expect(failed.replaceAll(/\s+/g, ' ')).toMatch(
    /do not begin a failover: every replica has priority 0 and may not be promoted\. $/,
  )
  expect(await log()).not.toContain('What broke')
})

test('a narrow one gets the list', async () => {
  const text = await draw(60)
  expect(text).toContain('! kill n1')
  expect(text).not.toContain('━━')
})
