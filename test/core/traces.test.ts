/**
 * Runs every script in testdata. A file is blocks of input lines, a divider, and what the machine did;
 * it is compared with its own re-rendering. After a deliberate change run vitest with `-u`, and commit
 * the difference only if you can explain each line of it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SentinelTrace } from '../support/sentinel-trace.ts'

const FOLDER = new URL('./testdata/', import.meta.url)

describe('the Sentinel machine does what its traces say', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.txt'))) {
    test(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, FOLDER)
      await expect(render(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path.pathname)
    })
  }
})

/** The same text with what stands below each divider replaced by what happens now. */
function render(text: string): string {
  const trace = new SentinelTrace()
  const output: string[] = []
  let isInput = true
  for (const line of text.split('\n')) {
    if (line === '----') {
      output.push(line, ...trace.take())
      isInput = false
    } else if (line === '') {
      output.push(line)
      isInput = true
    } else if (isInput) {
      output.push(line)
      if (!line.startsWith('#')) trace.run(line)
    }
  }
  return output.join('\n')
}
