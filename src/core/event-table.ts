/**
 * Every event a Sentinel can publish: what it is about, what its payload carries, and when it is
 * published. Names and payloads are the contract that clients and the scripts of operators parse.
 * This table types the emitters (`announce`), and the union of its names types the readers. What
 * the report, the live view and docs/events.md say about an event comes from here. A new event is a
 * row here, and the place that announces it.
 */
import { event } from './event-spec.ts'

/** In the order in which an operator meets them. */
export const EVENTS = {
  // What the Sentinel watches.
  '+monitor': event('warning', 'master', {
    text: 'quorum <quorum>',
    isRoutine: true,
    when: 'The Sentinel begins to watch a group.',
    says: 'watches <instance>',
  }),
  '-monitor': event('warning', 'master', {
    when: 'The Sentinel watches a group no longer, or at another address from now on.',
  }),
  '+set': event('warning', 'master', {
    text: '<option> <value>',
    when: 'SENTINEL SET changed an option; a password shows as asterisks.',
  }),
  '+reset-master': event('warning', 'master', {
    when: 'The Sentinel forgot the replicas and peers of a group and finds them anew.',
  }),
  '+slave': event('notice', 'replica', {
    isRoutine: true,
    when: 'The Sentinel found a replica.',
    says: 'knows <instance> now',
  }),
  '+sentinel': event('notice', 'sentinel', {
    isRoutine: true,
    when: 'A peer answered under the run id that its hello gave.',
    says: 'knows <instance> now',
  }),
  '+sentinel-address-switch': event('notice', 'master', {
    text: 'ip <host> port <port> for <runId>',
    when: 'A peer moved to another address.',
  }),
  '+sentinel-address-update': event('notice', 'sentinel', {
    text: '<count> additional matching instances',
    when: 'The records of a moved peer in other groups moved with it.',
  }),
  '+sentinel-invalid-addr': event('notice', 'sentinel', {
    when: 'The Sentinel dropped a peer, because another one answers at its address.',
  }),
  '+reboot': event('notice', 'node', {
    when: 'A data node restarted: its run id is a new one.',
    says: '<instance> has restarted',
  }),
  '+role-change': event('verbose', 'node', {
    text: 'new reported role is <role>',
    isRoutine: true,
    when: 'A data node reports the role that the Sentinel expects of it, after another one.',
    says: '<port> says it is a <role>, as it should be',
  }),
  '-role-change': event('verbose', 'node', {
    text: 'new reported role is <role>',
    isRoutine: true,
    when: 'A data node reports another role than the Sentinel expects of it.',
    says: '<port> says it is a <role>',
  }),
  '-cmd-link-reconnection': event('debug', 'instance', {
    text: '#<reason>',
    isRoutine: true,
    when: 'The connection for commands was lost.',
  }),
  '-pubsub-link-reconnection': event('debug', 'instance', {
    text: '#<reason>',
    isRoutine: true,
    when: 'The connection for hellos was lost.',
  }),

  // Which instances are down.
  '+sdown': event('warning', 'instance', {
    topic: 'suspicion',
    when: 'An instance is down for this Sentinel (S_DOWN).',
    says: '<instance> does not answer',
  }),
  '+sdown-evidence': event('notice', 'instance', {
    text: '# <reason>',
    when: 'Right behind `+sdown`: why it is said now.',
  }),
  '-sdown': event('warning', 'instance', {
    topic: 'suspicion',
    when: 'An instance that was down for this Sentinel answers again.',
    says: '<instance> answers again',
  }),
  '+odown': event('warning', 'master', {
    text: '#quorum <agreeing>/<needed>',
    topic: 'suspicion',
    when: 'The master is down for as many Sentinels as the quorum says (O_DOWN).',
    says: '<instance> is down: <agreeing> agree',
  }),
  '-odown': event('warning', 'master', {
    topic: 'suspicion',
    when: 'Fewer Sentinels than the quorum says hold the master down.',
    says: '<instance> is not agreed to be down any more',
  }),
  '+gray-master': event('warning', 'master', {
    text: '# <reason>',
    when: 'The master answers PING and refuses writes.',
  }),
  '-gray-master': event('warning', 'master', { when: 'The master takes writes again.' }),
  '+empty-master': event('warning', 'master', {
    text: '# <reason>',
    when: 'The master came back without its data, as a replica says that still has them.',
  }),
  '-empty-master': event('warning', 'master', {
    when: 'No replica says any more that the master lost its data.',
  }),
  '+voter': event('notice', 'node', {
    topic: 'switch',
    when: 'In a strict group: a voter has a vote, after it had none.',
    says: '<port> is a voter now',
  }),
  '-voter': event('warning', 'node', {
    topic: 'suspicion',
    when: 'In a strict group: a voter says that it has no vote any more, because it was restarted, copies, or lost its disk.',
    says: '<port> is no voter any more',
  }),
  '+writes-stalled': event('warning', 'master', {
    text: '# <voters>',
    topic: 'suspicion',
    when: 'Writes of a strict master have waited for a second or longer: these voters did not acknowledge.',
    says: 'writes wait for <voters>',
  }),
  '-writes-stalled': event('warning', 'master', {
    topic: 'suspicion',
    when: 'The voters of a strict master acknowledge writes again.',
    says: 'writes are acknowledged again',
  }),
  '+pause': event('warning', 'master', {
    text: 'for <seconds> s by <by> reason <reason>',
    topic: 'election',
    when: 'Automatic failover of the group is paused; SENTINEL PAUSE was given here or at a peer.',
    says: 'holds a pause of automatic failover for <seconds> s, ordered by <by>: <reason>',
  }),
  '-pause': event('warning', 'master', {
    text: '<outcome> by <by>',
    topic: 'election',
    when: 'The pause is over: `resumed` by an operator, or `expired`.',
    says: 'fails over automatically again (<outcome> by <by>)',
  }),
  '-slave': event('warning', 'replica', {
    when: 'The Sentinel forgot a replica that is gone, by SENTINEL FORGET or by itself.',
    says: 'has forgotten <instance>',
  }),
  '-sentinel': event('warning', 'sentinel', {
    when: 'The Sentinel forgot a peer that is gone, by SENTINEL FORGET or by itself.',
    says: 'has forgotten <instance>',
  }),
  '+tilt': event('warning', 'none', {
    text: '#tilt mode entered',
    topic: 'tilt',
    when: 'The Sentinel does not trust its clocks and decides nothing for a while.',
    says: 'does not trust its clock and takes no part for a while',
  }),
  '-tilt': event('warning', 'none', {
    text: '#tilt mode exited',
    topic: 'tilt',
    when: 'The Sentinel trusts its clocks again.',
    says: 'trusts its clock again',
  }),

  // Which Sentinel may act.
  '+new-epoch': event('warning', 'group', {
    text: '<epoch>',
    topic: 'election',
    isRoutine: true,
    when: 'The Sentinel began an epoch, or heard of a newer one.',
    says: 'epoch <epoch> begins',
  }),
  '+try-failover': event('warning', 'master', {
    topic: 'election',
    when: 'The Sentinel begins a failover and asks for votes.',
    says: 'asks for votes',
  }),
  '+vote-for-leader': event('warning', 'group', {
    text: '<leader> <epoch>',
    topic: 'election',
    when: 'The Sentinel gave its vote of this epoch.',
    says: 'votes for <leader> in epoch <epoch>',
  }),
  '+elected-leader': event('warning', 'master', {
    topic: 'election',
    when: 'The Sentinel was elected, or an operator made it the leader.',
    says: 'is elected and leads the failover',
  }),

  '+failover-hook-asked': event('notice', 'master', {
    when: 'The Sentinel asks the hook of the operator whether it may stand for election.',
    says: 'asks the hook of the operator before it stands',
  }),
  '-failover-hook-failed': event('warning', 'master', {
    text: '# <reason>',
    when: 'The hook failed or did not answer in time; the reason ends with what is done then.',
    says: 'gets no answer from the hook of the operator: <reason>',
  }),
  '-failover-refused-by-hook': event('warning', 'master', {
    text: '# <reason>',
    topic: 'election',
    when: 'The hook of the operator refused a failover. It is asked again; the same reason is announced once.',
    says: 'may not stand: the hook of the operator refuses, <reason>',
  }),

  // A failover.
  '+failover-state-select-slave': event('warning', 'master', {
    isRoutine: true,
    when: 'The leader looks for the best replica.',
    says: 'looks for the best replica',
  }),
  '+selected-slave': event('warning', 'replica', {
    topic: 'promotion',
    when: 'The leader chose the replica to promote.',
    says: 'chooses <instance>',
  }),
  '+reinstated-master': event('warning', 'master', {
    when: 'In a strict group: the master has the newest history, and goes on in a new term.',
  }),
  '+failover-state-send-slaveof-noone': event('notice', 'replica', {
    isRoutine: true,
    when: 'The leader is about to tell the chosen replica.',
    says: 'tells <port> to become the master',
  }),
  '+failover-state-wait-promotion': event('notice', 'replica', {
    isRoutine: true,
    when: 'The leader told the chosen replica, and waits until it reports to be a master.',
    says: 'waits for <port> to say it is the master',
  }),
  '+promoted-slave': event('warning', 'replica', {
    topic: 'promotion',
    when: 'The chosen replica reports to be a master.',
    says: '<port> is promoted',
  }),
  '+failover-state-reconf-slaves': event('warning', 'master', {
    isRoutine: true,
    when: 'The leader begins to turn the other replicas to the new master.',
    says: 'turns the other replicas to the new master',
  }),
  '+slave-reconf-sent': event('notice', 'replica', {
    isRoutine: true,
    when: 'The leader told a replica to follow the new master.',
    says: '<instance> is told to follow the new master',
  }),
  '+slave-reconf-inprog': event('notice', 'replica', {
    isRoutine: true,
    when: 'The replica reports the new master as its own.',
    says: '<instance> follows the new master',
  }),
  '+slave-reconf-done': event('notice', 'replica', {
    isRoutine: true,
    when: 'The replica is in sync with the new master.',
    says: '<instance> is in sync with the new master',
  }),
  '+slave-reconf-sent-be': event('notice', 'replica', {
    isRoutine: true,
    when: 'The failover took too long: a replica that is late is told once more.',
  }),
  '-slave-reconf-sent-timeout': event('notice', 'replica', {
    when: 'A replica did not follow in time, and the failover goes on without it.',
  }),
  '+failover-end': event('warning', 'master', {
    isRoutine: true,
    when: 'The failover is complete.',
    says: 'the failover is complete',
  }),
  '+failover-end-for-timeout': event('warning', 'master', {
    when: 'The failover ends with replicas that do not follow yet.',
    says: 'ends the failover: it took too long',
  }),
  '-failover-abort-not-elected': event('warning', 'master', {
    topic: 'election',
    when: 'The Sentinel gives a failover up: it was not elected, or a later leader came before it.',
    says: 'gives up: it was not elected',
  }),
  '-failover-abort-no-good-slave': event('warning', 'master', {
    topic: 'election',
    when: 'The leader gives up: no replica may be promoted.',
    says: 'gives up: no replica is fit to be the master',
  }),
  '-failover-abort-slave-timeout': event('warning', 'master', {
    topic: 'election',
    when: 'The leader gives up: the chosen replica did not become a master in time.',
    says: 'gives up: the chosen replica did not become the master',
  }),
  '-failover-abort-master-timeout': event('warning', 'master', {
    topic: 'election',
    when: 'A coordinated failover is over: the master was not told in time, refused, or gave up.',
  }),

  // Which node is the master.
  '+config-update-from': event('warning', 'sentinel', {
    topic: 'switch',
    isRoutine: true,
    when: 'A hello of this peer names a newer master.',
    says: 'learns of a failover from <instance>',
  }),
  '+switch-master': event('warning', 'group', {
    text: '<group> <oldHost> <oldPort> <newHost> <newPort>',
    topic: 'switch',
    when: 'From now on the Sentinel names another master. Clients reconnect on this.',
    says: 'the master is <newPort> now, it was <oldPort>',
  }),
  '+switch-master-retained': event('unlogged', 'group', {
    text: '<group> <oldHost> <oldPort> <newHost> <newPort>',
    when: 'With every `+switch-master`; a new subscriber is told the last one of each group at once.',
  }),
  '+failover-block': event('warning', 'master', {
    text: 'for <ms> ms',
    topic: 'switch',
    when: 'An automatic failover ended, and `failover-block` forbids another one for so long.',
    says: 'begins no other failover for <ms> ms',
  }),
  '-failover-block': event('warning', 'master', {
    topic: 'switch',
    when: "An operator's failover lifted the block before its time was up.",
    says: 'may fail over again: an operator lifted the block',
  }),
  '+convert-to-slave': event('notice', 'replica', {
    topic: 'switch',
    when: 'The old master came back as a master, and is told to follow the new one.',
    says: '<port> came back as master, becomes replica',
  }),
  '+fix-slave-config': event('notice', 'replica', {
    when: 'A replica follows the wrong master, and is told to follow the right one.',
    says: '<port> follows the wrong master and is put right',
  }),

  // Scripts of operators.
  '+script-child': event('debug', 'none', { text: '<pid>', when: 'A script was started.' }),
  '-script-child': event('debug', 'none', {
    text: '<pid> <status> <signal>',
    when: 'A script ended.',
  }),
  '-script-error': event('warning', 'none', {
    text: '<path> <signal> <status>',
    when: 'A script could not be run, or failed for good.',
  }),
  '-script-timeout': event('warning', 'none', {
    text: '<path> <pid>',
    when: 'A script ran for too long and is killed.',
  }),
} as const

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

/**
 * An event without a row here, published by another make of Sentinel. We show it and act on nothing
 * in it.
 */
export type UnknownEvent = `unknown event ${string}`

/** The name of an event that a process published. */
export type HeardEvent = EventName | UnknownEvent

export function isEventName(text: string): text is EventName {
  return Object.hasOwn(EVENTS, text)
}

export function heardEvent(channel: string): HeardEvent {
  return isEventName(channel) ? channel : `unknown event ${channel}`
}

/** Why a Sentinel gave a failover up. */
export type AbortReason = Extract<EventName, `-failover-abort-${string}`>

const ABORT_PREFIX = '-failover-abort-'

export function isAbort(name: HeardEvent): name is AbortReason {
  return name.startsWith(ABORT_PREFIX)
}

/** `not elected` for `-failover-abort-not-elected`. */
export function abortReasonInWords(name: AbortReason): string {
  return name.slice(ABORT_PREFIX.length).replaceAll('-', ' ')
}
