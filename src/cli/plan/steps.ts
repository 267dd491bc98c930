/**
 * The steps of a piece of work: what to type, what to wait for, and what could go wrong, with the numbers of this
 * group. For each step the forecast says what the loss of another process in the middle of it would mean.
 */
import { majority } from '../../core/election/quorum.ts'
import type { FailoverPlan } from '../../core/failover/failover-plan.ts'
import { loses, masterDies } from '../explain/accident.ts'
import { type Forecast, forecast, votesText } from '../explain/forecast.ts'
import type { GroupLayout, LayoutNode, LayoutSentinel } from '../explain/layout.ts'
import { isBad } from '../explain/weakest.ts'

export interface PlannedWork {
  readonly what: string
  /** Why it should not be begun now; empty if it may. */
  readonly obstacles: readonly string[]
  readonly steps: readonly WorkStep[]
  /** How to undo it. */
  readonly back: string
}

export interface WorkStep {
  readonly text: string
  /** What to type; empty: it depends on how the operator runs the processes. */
  readonly command: string
  /** What to wait for before the next step. */
  readonly until: string
  readonly risks: readonly string[]
}

/** The dry run of a coordinated failover, of the first Sentinel that finds it possible. */
function handoverPlan({ sentinels }: GroupLayout): FailoverPlan | undefined {
  const plans = sentinels.flatMap(({ says }) => (says?.plan === undefined ? [] : [says.plan]))
  return plans.find(({ possible }) => possible) ?? plans[0]
}

export function planSwitchover(layout: GroupLayout): PlannedWork {
  const { master } = layout
  const plan = handoverPlan(layout)
  const heir = layout.replicas.find(({ address }) => address === plan?.to)
  const steps = heir === undefined ? [] : [lookFirst(layout), ...handover(layout, heir)]
  return {
    what:
      heir === undefined
        ? 'a switchover'
        : `a switchover from ${master.address} to ${heir.address}`,
    obstacles: handoverObstacles(layout, plan),
    steps,
    back: handBack(layout),
  }
}

function handBack({ group, master }: GroupLayout): string {
  return `vedette failover ${group} --coordinated --to ${master.address} --wait`
}

function handoverObstacles(layout: GroupLayout, plan: FailoverPlan | undefined): string[] {
  const refusals = refusedPlans(layout)
  if (plan === undefined && refusals.length > 0) return refusals
  if (plan === undefined) {
    return [
      'no Vedette Sentinel says what a handover would do. Sentinels of Valkey 9 can hand over (`vedette failover --coordinated`), to a replica of their choice; with any other, `vedette failover` loses writes that are not yet replicated',
    ]
  }
  if (plan.possible) return unrest(layout)
  // A replica that could be promoted is no obstacle: another one was named.
  const barred = plan.replicas.filter(({ part }) => part === 'barred')
  const reasons = barred.map(({ address, reason }) => `${address}: ${reason}`)
  return [`the Sentinels refuse: ${plan.refusal}`, ...reasons, ...unrest(layout)]
}

/** A Sentinel of ours that does not say what it would do mostly lacks a right. */
function refusedPlans({ sentinels }: GroupLayout): string[] {
  return sentinels.flatMap(({ address, says }) => {
    if (says === undefined || says.refusal === '') return []
    return [`the Sentinel ${address} does not say what a handover would do: ${says.refusal}`]
  })
}

/** No work begins in a group that is not at rest. */
function unrest({ isBusy, isDisputed, master }: GroupLayout): string[] {
  return [
    ...(isBusy ? ['a failover is running'] : []),
    ...(isDisputed ? ['the Sentinels name different masters'] : []),
    ...(master.isDown ? [`the master ${master.address} is down`] : []),
  ]
}

/** Less than this may be on its way, or acknowledged since the master's last report. */
const LATE_BYTES = 1024 * 1024

function lookFirst({ group, replicas }: GroupLayout): WorkStep {
  const late = replicas.filter(({ lagBytes = 0 }) => lagBytes > LATE_BYTES)
  return {
    text: 'check that all is well',
    command: `vedette status ${group}`,
    until: 'it exits with status 0, and every replica is 0 B behind or nearly so',
    risks: late.map(({ address, lagBytes }) => `${address} is ${lagBytes} bytes behind now`),
  }
}

function handover(layout: GroupLayout, heir: LayoutNode): readonly WorkStep[] {
  const { group, master, failoverTimeoutMs } = layout
  const after = forecast(layout, loses([master.address]))
  return [
    {
      text: `hand over: ${master.address} holds back new writes until ${heir.address} has all earlier ones`,
      command: `vedette failover ${group} --coordinated --to ${heir.address} --wait`,
      until:
        'it exits with status 0; if it exits with status 1, the old master is still the master',
      risks: [
        `writes wait during the handover, for at most ${failoverTimeoutMs / 1_000} s; after that it is given up, and nothing is lost`,
        'clients that do not ask a Sentinel stay with the old master, which refuses their writes (READONLY)',
        ...fenceRisk(after, heir),
        ...deathRisk(forecast(layout, masterDies(layout)), 'the old master died during this step'),
      ],
    },
    {
      text: `check that ${master.address} follows ${heir.address}`,
      command: `vedette status ${group}`,
      until: 'it exits with status 0, and the old master is a replica with its link up',
      risks: ['the clients of the old master were disconnected: check the applications, too'],
    },
  ]
}

function fenceRisk({ cautions, refusesWrites, promoted }: Forecast, heir: LayoutNode): string[] {
  if (!refusesWrites || promoted !== heir.address) return []
  return cautions
    .filter((text) => text.includes('min-replicas-to-write'))
    .map((text) => `until the old master follows it, ${text}`)
}

/** What the loss of the master would mean while a step is under way. */
function deathRisk(told: Forecast, when: string): string[] {
  if (!isBad(told)) return []
  const why = told.outcome === 'stuck' ? told.obstacles.join('; ') : told.cautions.join('; ')
  return [
    `if ${when}, there would be ${told.outcome === 'stuck' ? 'no failover' : 'a master that refuses writes'}: ${why}`,
  ]
}

export function planUpgrade(layout: GroupLayout): PlannedWork {
  const { replicas, sentinels } = layout
  const plan = handoverPlan(layout)
  const order = (plan?.replicas ?? []).map(({ address }) => address)
  // The replica that will be handed to comes last, so that the others have shown that the new version works.
  const place = ({ address }: LayoutNode) => order.indexOf(address)
  const sorted = replicas.toSorted((a, b) => place(b) - place(a))
  const heir = replicas.find(({ address }) => address === plan?.to)
  return {
    what: `an upgrade of ${1 + replicas.length} nodes and ${sentinels.length} Sentinels without an outage`,
    obstacles: [...handoverObstacles(layout, plan), ...downNow(layout)],
    steps: [
      lookFirst(layout),
      ...sorted.map((one) => restartOf(layout, one)),
      ...(heir === undefined ? [] : handover(layout, heir)),
      ...(heir === undefined ? [] : [oldMaster(layout, heir)]),
      ...sentinels.map((one) => restartOfSentinel(layout, one)),
      lookFirst(layout),
    ],
    back: [
      'before the master is replaced, install the old version on the replicas again.',
      'Later, the old version may be unable to read what the new one wrote: test that first.',
      ...(heir === undefined ? [] : [`To move the master back: ${handBack(layout)}`]),
    ].join(' '),
  }
}

function downNow({ replicas, sentinels }: GroupLayout): string[] {
  const down = [...replicas, ...sentinels].filter(({ isDown }) => isDown)
  return down.map(({ address }) => `${address} is down: bring it back first`)
}

function restartOf(layout: GroupLayout, node: LayoutNode): WorkStep {
  const { master, group, facts } = layout
  const alone = forecast(layout, loses([node.address]))
  return {
    text: `stop the replica ${named(node.address, facts.get(node.address)?.program)}, upgrade it, and start it`,
    command: '',
    until: `vedette status ${group} shows its link up and 0 B behind or nearly so`,
    risks: [
      ...alone.cautions,
      ...deathRisk(
        forecast(layout, loses([node.address, master.address])),
        'the master died during this step',
      ),
    ],
  }
}

function named(address: string, program = ''): string {
  return program === '' ? address : `${address} (${program})`
}

function oldMaster(layout: GroupLayout, heir: LayoutNode): WorkStep {
  const { master, group, facts } = layout
  return {
    text: `stop the old master ${named(master.address, facts.get(master.address)?.program)}, upgrade it, and start it`,
    command: '',
    until: `vedette status ${group} shows that it follows ${heir.address} with its link up`,
    risks: [
      'it must come back as a replica: if it starts as a master, the Sentinels make it a replica after some seconds',
      ...deathRisk(
        forecast(layout, loses([master.address, heir.address])),
        `the new master ${heir.address} died during this step`,
      ),
    ],
  }
}

function restartOfSentinel(layout: GroupLayout, one: LayoutSentinel): WorkStep {
  const { master, group } = layout
  return {
    text: `stop the Sentinel ${named(one.address, one.says?.program)}, upgrade it, and start it`,
    command: '',
    until: `vedette status ${group} shows that it answers and counts ${layout.sentinels.length - 1} peers`,
    risks: deathRisk(
      forecast(layout, loses([one.address, master.address])),
      'the master died during this step',
    ),
  }
}

/** `alsoIn`: other groups that count this Sentinel. */
export function planRemoval(
  layout: GroupLayout,
  one: LayoutSentinel,
  alsoIn: readonly string[],
): PlannedWork {
  const { sentinels, master } = layout
  const now = sentinels.length
  const quorum = Math.max(...sentinels.map(({ says }) => says?.quorum ?? 1))
  const groups = [layout.group, ...alsoIn]
  return {
    what: `the removal of the Sentinel ${one.address}: ${now} Sentinels before, ${now - 1} after`,
    obstacles: [...unrest(layout), ...removalObstacles(layout, one, quorum)],
    steps: [
      {
        text: `stop the Sentinel ${one.address}, and make sure that nothing starts it again`,
        command: '',
        until: `the others see it down (after ${downAfterText(layout)}): vedette status ${layout.group}`,
        risks: [
          `until the next step is done, a leader still needs ${votesText(Math.max(quorum, majority(now)), now)}, and only ${now - 1} can vote`,
          ...deathRisk(
            forecast(layout, loses([one.address, master.address])),
            'the master died during this step',
          ),
        ],
      },
      ...groups.map((group) => forgetting(layout, one, group)),
      {
        text: 'check what is left',
        command: `vedette explain ${layout.group}`,
        until: `it counts ${now - 1} Sentinels; it says how many of them may be lost`,
        risks: afterwards(now - 1, quorum),
      },
    ],
    back: `start it again: the others find it by its hellos within seconds`,
  }
}

function downAfterText({ sentinels }: GroupLayout): string {
  const ms = Math.max(...sentinels.map(({ says }) => says?.downAfterMs ?? 0))
  return `${ms / 1_000} s`
}

function removalObstacles(
  { sentinels, group }: GroupLayout,
  one: LayoutSentinel,
  quorum: number,
): string[] {
  const left = sentinels.filter((other) => other !== one)
  const down = left.filter(({ isDown }) => isDown)
  return [
    ...(quorum > left.length
      ? [
          `${left.length} Sentinels could not reach the quorum ${quorum}: first run SENTINEL SET ${group} quorum ${majority(left.length)} on all of them`,
        ]
      : []),
    ...down.map(
      ({ address }) => `${address} is down, too: remove that one first, or bring it back`,
    ),
  ]
}

function forgetting({ sentinels }: GroupLayout, one: LayoutSentinel, group: string): WorkStep {
  const strangers = sentinels.filter(
    (other) => other !== one && other.says !== undefined && !other.says.isVedette,
  )
  return {
    text: `make all other Sentinels forget it in ${group}`,
    command: `vedette forget ${group} ${one.address}`,
    until: 'it exits with status 0',
    risks: [
      'the command is refused as long as a majority sees the Sentinel alive',
      ...strangers.map(
        ({ address }) =>
          `${address} is a redis-sentinel, which cannot forget one Sentinel: run SENTINEL RESET ${group} there, on one Sentinel at a time and while the master is well`,
      ),
    ],
  }
}

function afterwards(left: number, quorum: number): string[] {
  const needed = Math.max(quorum, majority(left))
  const spare = left - needed
  return [
    spare < 0
      ? `${needed} Sentinels will be needed, and ${left} will be there: no failover will be possible`
      : `${needed} of ${left} Sentinels will be needed: ${spare === 0 ? 'none' : spare === 1 ? 'one' : spare} may be lost`,
    ...(left % 2 === 0 && left > 0
      ? [`${left} Sentinels survive no more losses than ${left - 1} would`]
      : []),
    ...(quorum === 1 && left > 1
      ? ['with quorum 1 a single Sentinel can decide that the master is down']
      : []),
  ]
}
