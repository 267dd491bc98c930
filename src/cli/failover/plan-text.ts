/** The answer to SENTINEL FAILOVER … DRYRUN: read with distrust, and shown to people. */
import { z } from 'zod'
import type { FailoverPlan, PlannedReplica } from '../../core/failover/failover-plan.ts'
import { StartError } from '../../io/start-error.ts'
import { printable, type ReplyValue } from '../status/asking.ts'

const text = z.string().transform(printable)
const number = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)

const REPLICA: z.ZodType<PlannedReplica> = z.object({
  address: text,
  part: z.enum(['promoted', 'spare', 'barred']),
  reason: text,
  rule: text,
  zone: text,
  priority: number,
  offset: number,
  behind: number,
})

const PLAN: z.ZodType<FailoverPlan> = z.object({
  possible: z.enum(['yes', 'no']).transform((word) => word === 'yes'),
  refusal: text,
  kind: z.enum(['forced', 'coordinated']),
  from: text,
  to: text,
  steps: z.array(text).max(100),
  replicas: z.array(z.preprocess(fieldsOf, REPLICA)).max(10_000),
})

/** Throws a StartError if the answer has another shape. */
export function readPlan(answer: ReplyValue): FailoverPlan {
  const parsed = PLAN.safeParse(fieldsOf(answer))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'the answer'
  const message = `the Sentinel's answer to the dry run is not a plan (${where})`
  throw new StartError('E_SENTINEL', message, 'ask a Vedette Sentinel of this version')
}

/** RESP2 represents a map as a flat list of names and values. */
function fieldsOf(answer: unknown): unknown {
  if (!Array.isArray(answer)) return undefined
  const fields = answer.flatMap((name, at) =>
    at % 2 === 0 ? [[String(name), answer[at + 1]] as const] : [],
  )
  return Object.fromEntries(fields)
}

export function planText(group: string, plan: FailoverPlan): string {
  const { possible, refusal, kind, from, to, steps, replicas } = plan
  const what = kind === 'coordinated' ? 'a coordinated failover' : 'a failover'
  const head = possible
    ? `${group}: ${what} would replace ${from} by ${to}`
    : `${group}: ${what} is not possible: ${refusal}`
  return [
    head,
    ...steps.map((step, at) => `  ${at + 1}. ${step}`),
    replicas.length === 0 ? 'there are no replicas' : 'replicas, in the order of promotion:',
    ...replicas.map((replica) => `  ${replicaText(replica)}`),
    'This was a dry run: nothing has been changed.',
  ].join('\n')
}

const PARTS: Readonly<Record<PlannedReplica['part'], string>> = {
  promoted: 'would be promoted',
  spare: 'could be promoted',
  barred: 'cannot be promoted',
}

function replicaText(replica: PlannedReplica): string {
  const { address, part, reason, rule, zone, priority, offset, behind } = replica
  const facts = [
    `priority ${priority}`,
    `offset ${offset}${behind > 0 ? ` (${behind} bytes behind)` : ''}`,
    rule === '' ? '' : `rule ${rule}`,
    zone === '' ? '' : `zone ${zone}`,
  ]
  const why = reason === '' ? '' : `: ${reason}`
  return `${address}  ${PARTS[part]}${why}  [${facts.filter((fact) => fact !== '').join(', ')}]`
}
