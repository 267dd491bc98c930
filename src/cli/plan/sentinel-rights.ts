/**
 * May the Sentinels do on the nodes what a handover takes? Each node says as which users Sentinels are connected, and
 * what these may do. A plan that the nodes would refuse in its middle is no plan.
 */

import { reasonOf } from '../../io/start-error.ts'
import {
  dryRuns,
  HANDOVER_RIGHTS,
  type RightTest,
  STRICT_NODE_RIGHTS,
} from '../check/deep/rights.ts'
import type { GroupLayout } from '../explain/layout.ts'
import { type MemberAccess, nodeLogin, withClient } from '../explain/look.ts'
import { allowanceOfOneRun } from '../status/access.ts'
import type { Asking } from '../status/asking.ts'
import { withGrant } from '../status/grant.ts'
import type { PlannedWork } from './steps.ts'

/** What one node says of the Sentinels' users. */
export interface NodeRights {
  readonly address: string
  readonly denied: readonly { readonly user: string; readonly tests: readonly RightTest[] }[]
  /** Why it is not known; empty if it is. */
  readonly failure: string
}

/** Changes nothing there. */
export async function askRights(
  { master, replicas, isStrict }: GroupLayout,
  options: MemberAccess,
): Promise<readonly NodeRights[]> {
  const login = nodeLogin(options)
  const allowance = allowanceOfOneRun()
  const rights = isStrict ? STRICT_NODE_RIGHTS : HANDOVER_RIGHTS
  const alive = [master, ...replicas].filter(({ isDown }) => !isDown)
  return Promise.all(
    alive.map(async ({ address }) => {
      const ask = (client: Asking) => deniedThere(client, rights, login.user)
      const denied = await withClient(address, login, allowance, ask)
      const isKnown = !(denied instanceof Error)
      return {
        address,
        denied: isKnown ? denied : [],
        failure: isKnown ? '' : denied.message,
      }
    }),
  )
}

async function deniedThere(
  client: Asking,
  rights: Parameters<typeof dryRuns>[0],
  asker: string | undefined,
): Promise<NodeRights['denied']> {
  const users = usersIn(String(await client.call('CLIENT', 'LIST')))
  const call = async (...words: readonly string[]) => client.call(...words)
  const denied: NodeRights['denied'][number][] = []
  for (const user of users) {
    const tests = await dryRuns(rights, { call, user, renamed: new Map() })
    // Of servers before Redis 7.0, nothing is known.
    if (tests === undefined) throw new Error(await whyNoDryRun(client, asker))
    const refused = tests.filter(({ outcome }) => outcome === 'denied')
    if (refused.length > 0) denied.push({ user, tests: refused })
  }
  return denied
}

async function whyNoDryRun(client: Asking, asker: string | undefined): Promise<string> {
  try {
    await client.call('ACL', 'DRYRUN', 'default', 'PING')
    return 'ACL DRYRUN was refused'
  } catch (error) {
    return withGrant(reasonOf(error), asker)
  }
}

/** The users of connections that Sentinels have opened, by the names they give them. */
function usersIn(clients: string): readonly string[] {
  const lines = clients.split('\n').filter((line) => /\bname=sentinel-\w{8}-cmd\b/.test(line))
  const users = lines.flatMap((line) => /\buser=(\S+)/.exec(line)?.[1] ?? [])
  return [...new Set(users)]
}

/** The plan, with what a node would refuse as an obstacle, and what is not known as a risk of the first step. */
export function withRights(
  work: PlannedWork,
  rights: readonly NodeRights[],
  { facts }: Pick<GroupLayout, 'facts'>,
): PlannedWork {
  const unknown = [
    ...rights.filter(({ failure }) => failure !== '').map(wordUnknown),
    ...[...facts].flatMap(([address, { unread }]) => wordUnread(address, unread)),
  ]
  const [first, ...others] = work.steps
  return {
    ...work,
    obstacles: [...work.obstacles, ...rights.flatMap(wordDenied)],
    steps:
      first === undefined ? [] : [{ ...first, risks: [...first.risks, ...unknown] }, ...others],
  }
}

function wordDenied({ address, denied }: NodeRights): readonly string[] {
  return denied.map(({ user, tests }) => {
    const names = tests.map(({ right }) => right.name.replace('|', ' ').toUpperCase()).join(', ')
    const rules = [...new Set(tests.map(({ rule }) => rule))].join(' ')
    return `${address} does not let the Sentinels, as the user ${user}, run ${names}: grant it there with ACL SETUSER ${user} ${rules}, and write the same into its configuration or aclfile`
  })
}

function wordUnknown({ address, failure }: NodeRights): string {
  return `whether the Sentinels have the rights for it on ${address} is not known: ${failure}; name a user that may ask with --node-user`
}

function wordUnread(address: string, unread: string): readonly string[] {
  if (unread === '') return []
  return [
    `whether ${address} would refuse writes with too few replicas is not known, because min-replicas-to-write cannot be read there: ${unread}`,
  ]
}
