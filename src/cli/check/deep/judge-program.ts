/** What can be said of one program, node or Sentinel alike: is it there, does it let us in, with every right? */
import { programIn } from '../../status/info.ts'
import { OUT_OF_TIME, type SeenProgram } from './facts.ts'
import { type DeepFinding, type FindingWords, speakOf } from './finding.ts'
import type { RightTest } from './rights.ts'

export interface ProgramPlace {
  readonly area: string
  readonly where: string
  /** Where its user and password are configured: `auth-user of group mymaster`. */
  readonly source: string
  readonly user: string
  readonly nowMs: number
}

export function judgeProgram(facts: SeenProgram, place: ProgramPlace): readonly DeepFinding[] {
  const speak = speakOf(place.area, place.where)
  const certificate = judgeCertificate(facts, speak, place.nowMs)
  if (facts.failure === OUT_OF_TIME) {
    return [speak.warning(OUT_OF_TIME, 'raise --timeout, or see why it is slow'), ...certificate]
  }
  if (facts.failure !== undefined) {
    return [speak.problem(...wordFailure(facts.failure, place)), ...certificate]
  }
  const as = place.user === 'default' ? '' : ` as ${place.user}`
  return [
    speak.passed(
      `reached${as} (${programIn(facts.info) ?? 'no INFO, so the program is not known'})`,
    ),
    ...certificate,
    ...judgeRights(facts.rights, speak, place.user),
    ...judgeClock(facts, speak),
  ]
}

type Failure = readonly [text: string, hint: string]

/** In the words of the other side, and what to do about each. */
const FAILURES: readonly (readonly [RegExp, string, (place: ProgramPlace) => string])[] = [
  [
    /^ECONNREFUSED/,
    'nothing listens there',
    () => 'start it, or correct the address and the port; its bind must include this address',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|no answer)/,
    'no answer',
    () => 'check the address, the firewall, and that the process is not stopped',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'the name is not known', () => 'correct the name, or use an address'],
  [
    /^WRONGPASS|invalid password|invalid username/i,
    'it refuses the login',
    ({ source, user }) =>
      `correct ${source}: there is no user ${user} with this password, or it is off`,
  ],
  [/^NOAUTH/, 'it wants a login', ({ source }) => `set ${source}`],
  [
    /without any password configured/i,
    'it has no password, but one is configured',
    ({ source }) => `set requirepass there, or remove ${source}`,
  ],
  [
    /^DENIED/,
    'protected mode refuses connections from other machines',
    () =>
      'set a password (requirepass, users) there, or protected-mode no where the network is closed',
  ],
  [
    /this port speaks TLS/,
    'this port speaks TLS, and TLS is not configured for it',
    () =>
      'set tls: replication: yes (tls-replication yes) with tls-ca-cert-file, or use the plain port',
  ],
  [
    /this port speaks no TLS/,
    'this port speaks no TLS, but tls-replication is on',
    () => 'name the tls-port of the program, or set tls-replication no',
  ],
  [
    /unknown authority|self-signed/,
    'no authority of tls-ca-cert-file has signed its certificate',
    () => 'add the authority to tls-ca-cert-file, or give it a certificate of this authority',
  ],
  [
    /wants a certificate of ours/,
    'it wants a certificate',
    () => 'set tls-cert-file and tls-key-file here, or tls-auth-clients no there',
  ],
  [
    /our certificate/,
    'it seems not to accept our certificate',
    () => 'set tls-cert-file here to a valid one, signed by an authority of its tls-ca-cert-file',
  ],
  [
    /^certificate (has expired|is not valid yet)/,
    'its certificate is not valid now',
    () => 'renew the file of its tls-cert-file, or set the clock of one of these machines',
  ],
  [/^it does not speak the Redis protocol/, 'this is no Redis port', () => 'correct the port'],
]

function wordFailure(failure: string, place: ProgramPlace): Failure {
  const known = FAILURES.find(([pattern]) => pattern.test(failure))
  if (known === undefined) return [failure, 'its log may say more']
  const [, text, hint] = known
  return [
    `${text} (${failure.replace(/: (add|this port|leave|perhaps|renew|show) .*$/, '')})`,
    hint(place),
  ]
}

const SOON_MS = 30 * 24 * 3_600_000

function judgeCertificate(
  { certificate }: SeenProgram,
  speak: FindingWords,
  nowMs: number,
): readonly DeepFinding[] {
  if (certificate === undefined) return []
  const { validToMs, coversHost, names } = certificate
  const until = new Date(validToMs).toISOString().slice(0, 10)
  const renew = 'renew it there; Vedette takes the new file by itself, Redis with CONFIG SET'
  if (validToMs < nowMs) return [speak.problem(`its certificate has expired on ${until}`, renew)]
  const soon =
    validToMs - nowMs < SOON_MS ? [speak.warning(`its certificate expires on ${until}`, renew)] : []
  const hint = 'clients that check names reject it: issue it with this address as SAN'
  const name = coversHost ? [] : [speak.warning(`its certificate names only ${names}`, hint)]
  const all = [...soon, ...name]
  return all.length > 0 ? all : [speak.passed(`TLS, certificate valid until ${until}`)]
}

function judgeRights(
  tests: readonly RightTest[],
  speak: FindingWords,
  user: string,
): readonly DeepFinding[] {
  const of = (outcome: RightTest['outcome']) => tests.filter((test) => test.outcome === outcome)
  const denied = of('denied').filter(({ right }) => right.isOptional !== true)
  const wished = of('denied').filter(({ right }) => right.isOptional === true)
  const findings = [
    ...(denied.length === 0 ? [] : [speak.problem(...wordDenied(denied, user))]),
    ...(wished.length === 0 ? [] : [speak.warning(...wordDenied(wished, user))]),
    ...of('unknown')
      .filter(isMissed)
      .map(({ right }) =>
        speak.problem(
          `it does not know ${commandOf(right.words)}: ${right.purpose}`,
          'if it is renamed there, say so here with rename-command',
        ),
      ),
  ]
  const untested = of('untested').map(({ right }) => commandOf(right.words))
  if (untested.length > 0) {
    const hint = `ACL SETUSER ${user} +acl|dryrun allows to test them`
    findings.push(speak.warning(`not tested: ${untested.join(', ')}`, hint))
  }
  const isAll = tests.length > 0 && findings.length === 0
  return isAll ? [speak.passed(`user ${user} has every permission that is needed`)] : findings
}

function isMissed({ right }: RightTest): boolean {
  return right.mayBeMissing !== true
}

function wordDenied(tests: readonly RightTest[], user: string): Failure {
  const what = tests.map(({ right }) => `${commandOf(right.words)} (${right.purpose})`)
  const rules = [...new Set(tests.map(({ rule }) => rule))].join(' ')
  return [
    `user ${user} may not run ${what.join(', ')}`,
    `ACL SETUSER ${user} ${rules}, and the same in its users file`,
  ]
}

function commandOf(words: readonly string[]): string {
  const [name = '', sub = ''] = words
  return /^(CLIENT|CONFIG|SCRIPT|SENTINEL)$/.test(name) ? `${name} ${sub}` : name
}

const CLOCK_MS = 2_000

function judgeClock({ clockMs }: SeenProgram, speak: FindingWords): readonly DeepFinding[] {
  if (clockMs === undefined || Math.abs(clockMs) < CLOCK_MS) return []
  const way = clockMs > 0 ? 'ahead of' : 'behind'
  const text = `its clock is ${(Math.abs(clockMs) / 1_000).toFixed(1)} s ${way} this machine's`
  return [speak.warning(text, 'run a time service (chrony, ntpd) on every machine')]
}
