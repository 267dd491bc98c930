import { expect, test } from 'vitest'
import { at, Stage, standing } from './support.ts'

const NAME = 'no needless full copy'

/** n1 has died, n2 is chosen in its place and gives n3 a copy. */
function copiedTo(n3: Parameters<typeof standing>[1]): Stage {
  const stage = new Stage({}, true).until(30_000).status('n1', 'down')
  stage.linked('n2', false).linked('n3', false).until(33_000)
  stage.chooses('s1', 'n2', standing('n2'), standing('n3', n3))
  stage.role('n2', { kind: 'master' })
  return stage.until(34_000).tell('n2', { kind: 'copies', to: [at('n3')] })
}

test('a copy for a replica that is where the new master is, in the same history, is caught', () => {
  expect(copiedTo({}).violations).toEqual([NAME])
})

test('a replica that is ahead needs one', () => {
  expect(copiedTo({ offset: 2_000 }).violations).not.toContain(NAME)
})

test('a replica that missed the last change of the history needs one (strict, seed 728794)', () => {
  expect(copiedTo({ replid: 'the one before' }).violations).not.toContain(NAME)
})
