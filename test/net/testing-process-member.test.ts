/** A member of `vedette/testing` that is a process of its own, by itself. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RunningClock } from '../../src/testing/cluster-clock.ts'
import { ProcessMember } from '../../src/testing/process-member.ts'
import { ALONE } from '../../src/testing/server.ts'
import { Switchboard } from '../../src/testing/switchboard.ts'
import { scratchFolder } from '../support/scratch.ts'

const FIRST_LIFE = 1

class Silent extends ProcessMember {
  connecting(): Promise<unknown> {
    return this.connected(FIRST_LIFE)
  }
}

test('who connects to a process when the cluster is stopped gives up, and does not fail', async () => {
  const clock = new RunningClock()
  const switchboard = new Switchboard(() => clock)
  const member = new Silent({
    ...{ name: 's1', door: await switchboard.open('s1'), switchboard, clock, cluster: ALONE },
    ...{ command: ['sleep', '60'], conf: () => '', folder: join(scratchFolder('member'), 's1') },
    ...{ address: '127.77.0.99', login: {}, log: () => undefined },
  })
  member.start()
  const connecting = member.connecting()
  member.halt()
  clock.stop()
  await expect(connecting).resolves.toBeUndefined()
  await member.gone()
  await switchboard.close()
})
