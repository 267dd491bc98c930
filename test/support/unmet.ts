import { parseScenario } from '../../src/scenario/parse.ts'
import { runScenario } from '../../src/scenario/run.ts'

/** Plays the text of a scenario on virtual time, and returns the expectations that do not hold. */
export async function unmetIn(text: string): Promise<readonly string[]> {
  const parsed = parseScenario(text, 'test.yml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { expectations } = await runScenario(parsed.value, { seed: '1' })
  return expectations.filter(({ passed }) => !passed).map((one) => one.text)
}
