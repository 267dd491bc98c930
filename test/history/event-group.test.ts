import { expect, test } from 'vitest'
import { groupIn } from '../../src/history/event-group.ts'

test.each([
  ['+sdown', 'master g1 10.0.0.1 6379', 'g1'],
  ['+sdown', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ g1 10.0.0.1 6379', 'g1'],
  ['+set', 'master g1 10.0.0.1 6379 notification-script /bin/a @ g2', 'g1'],
  ['+switch-master', 'g1 10.0.0.1 6379 10.0.0.2 6379', 'g1'],
  ['+new-epoch', '7', undefined],
  ['+vote-for-leader', 'd803884fc3b34e1808952234bc8d2ba6aa893dd2 7', undefined],
  ['+tilt', '#tilt mode entered', undefined],
] as const)('%s %s', (name, payload, group) => {
  expect(groupIn({ name, payload })).toBe(group)
})
