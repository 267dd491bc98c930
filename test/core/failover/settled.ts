/** A group of one master, three replicas and two peers that has run for a while, and how its master dies. */
import { SentinelTrace } from '../../support/sentinel-trace.ts'

/** The master dies, and the other Sentinels see it. */
export const DEATH = ['sees peer1 down', 'sees peer2 down', 'kill master', 'run 3000']

/** `settings`: options of the group and their values. What happened until now is left out. */
export function settled(...settings: string[]): SentinelTrace {
  const trace = new SentinelTrace()
  trace.run('group quorum=2 replicas=3 peers=2 failover-timeout=20000')
  for (const setting of settings) trace.run(`client SENTINEL SET g ${setting}`)
  trace.play('run 11000')
  return trace
}
