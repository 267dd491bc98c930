/** Sentinel's events in plain words. Who says it stands beside them, so it is left out here. */

type Wording = (subject: Subject, text: string) => string

/** What an event is about: `master mymaster 127.0.0.1 7000`. */
interface Subject {
  /** `master 7000`, `replica 7001`, `Sentinel 7100`. */
  readonly name: string
  readonly port: string
}

const KINDS: Readonly<Record<string, string>> = {
  master: 'master',
  slave: 'replica',
  sentinel: 'Sentinel',
}

const WORDINGS: Readonly<Record<string, Wording>> = {
  '+monitor': ({ name }) => `watches ${name}`,
  '+slave': ({ name }) => `knows ${name} now`,
  '+sentinel': ({ name }) => `knows ${name} now`,
  '+reboot': ({ name }) => `${name} has restarted`,
  '+sdown': ({ name }) => `${name} does not answer`,
  '-sdown': ({ name }) => `${name} answers again`,
  '+odown': ({ name }, text) => `${name} is down: ${quorumOf(text)} agree`,
  '-odown': ({ name }) => `${name} is not agreed to be down any more`,
  '+new-epoch': (_subject, text) => `epoch ${text} begins`,
  '+try-failover': () => 'asks for votes',
  '+elected-leader': () => 'is elected and leads the failover',
  '+failover-state-select-slave': () => 'looks for the best replica',
  '+selected-slave': ({ name }) => `chooses ${name}`,
  '+failover-state-send-slaveof-noone': ({ port }) => `tells ${port} to become the master`,
  '+failover-state-wait-promotion': ({ port }) => `waits for ${port} to say it is the master`,
  '+promoted-slave': ({ port }) => `${port} is promoted`,
  '+failover-state-reconf-slaves': () => 'turns the other replicas to the new master',
  '+slave-reconf-sent': ({ name }) => `${name} is told to follow the new master`,
  '+slave-reconf-inprog': ({ name }) => `${name} follows the new master`,
  '+slave-reconf-done': ({ name }) => `${name} is in sync with the new master`,
  '+failover-end': () => 'the failover is complete',
  '+failover-end-for-timeout': () => 'ends the failover: it took too long',
  '-failover-abort-not-elected': () => 'gives up: it was not elected',
  '-failover-abort-no-good-slave': () => 'gives up: no replica is fit to be the master',
  '-failover-abort-slave-timeout': () => 'gives up: the chosen replica did not become the master',
  '+config-update-from': ({ name }) => `learns of a failover from ${name}`,
  '+switch-master': (_subject, text) => switched(text),
  '+convert-to-slave': ({ port }) => `${port} came back as master, becomes replica`,
  '+fix-slave-config': ({ port }) => `${port} follows the wrong master and is put right`,
  '+role-change': ({ port }, text) => `${port} says it is a ${roleOf(text)}, as it should be`,
  '-role-change': ({ port }, text) => `${port} says it is a ${roleOf(text)}`,
  '+tilt': () => 'does not trust its clock and takes no part for a while',
  '-tilt': () => 'trusts its clock again',
}

/** `portOf` gives the port of a Sentinel by its run id, if it is known. */
export function explain(
  event: string,
  text: string,
  portOf: (runId: string) => number | undefined,
): string {
  if (event === '+vote-for-leader') return vote(text, portOf)
  return WORDINGS[event]?.(subjectOf(text), text) ?? text
}

function subjectOf(text: string): Subject {
  const [kind = '', , , port = ''] = text.split(' ')
  return { name: `${KINDS[kind] ?? kind} ${port}`, port }
}

function vote(text: string, portOf: (runId: string) => number | undefined): string {
  const [runId = '', epoch = ''] = text.split(' ')
  return `votes for ${portOf(runId) ?? runId.slice(0, 8)} in epoch ${epoch}`
}

function quorumOf(text: string): string {
  return /#quorum (\d+)\/(\d+)/.exec(text)?.[1] ?? 'enough'
}

function switched(text: string): string {
  const [, , from, , to] = text.split(' ')
  return `the master is ${to} now, it was ${from}`
}

function roleOf(text: string): string {
  return text.endsWith('master') ? 'master' : 'replica'
}
