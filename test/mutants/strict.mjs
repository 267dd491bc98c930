/** Faults of strict replication. What they break is seen by clients that share keys: test/mutants/scenarios/*strict*. */
const GATE = 'server/sessions/sync-gate.js'
const STRICT = 'server/replication/strict/strict.js'
const QUORUM = 'server/replication/strict/sync-quorum.js'
const PLAIN = 'server/gate.js'
const FENCING = 'core/failover/fencing.js'

const CUT_OFF = ['a-strict-master-is-cut-off-with-a-client.yml']

export const STRICT_MUTANTS = [
  {
    name: 'strict-answers-do-not-wait',
    story: 'What a strict master tells its clients leaves before any voter has it.',
    edits: [
      {
        file: GATE,
        find: '        return this.#isInTurn || progress.offset > progress.confirmedOffset;\n',
        replace: '        return false;\n',
      },
    ],
    scenarios: CUT_OFF,
  },
  {
    name: 'strict-write-quorum-of-one',
    story: 'The master alone is enough for an acknowledgement.',
    edits: [
      {
        file: QUORUM,
        find: '    #needed({ replicas }) {\n',
        replace: '    #needed({ replicas }) {\n        if (replicas > 0) return 0;\n',
      },
    ],
    scenarios: CUT_OFF,
  },
  {
    name: 'strict-reads-pass-the-gate',
    story: 'A read is answered at once, whatever it shows.',
    edits: [
      {
        file: PLAIN,
        find: '    if (command.hasKeys || command.isRead || command.isWrite)\n        return false;\n    return !command.mayReplicate',
        replace:
          '    if (command.isWrite)\n        return false;\n    return !command.mayReplicate',
      },
    ],
    scenarios: CUT_OFF,
  },
  {
    name: 'strict-scripts-pass-the-gate',
    story: 'The answers of a script do not wait for voters.',
    edits: [
      {
        file: PLAIN,
        find: '    return !command.mayReplicate && !command.runsScript;\n',
        replace: '    return true;\n',
      },
    ],
    scenarios: CUT_OFF,
  },
  {
    name: 'strict-priority-before-history',
    story: 'Of the fenced voters the preferred one is promoted, not the newest.',
    edits: [
      {
        file: FENCING,
        find: '=> b.lastTerm - a.lastTerm || b.offset - a.offset;\n',
        replace: '=> 0 * (b.offset - a.offset);\n',
      },
    ],
    scenarios: ['a-strict-replica-lags-and-is-preferred.yml'],
  },
  {
    name: 'strict-offset-before-term',
    story: 'The longest history is promoted, though a term after it has begun.',
    edits: [
      {
        file: FENCING,
        find: '=> b.lastTerm - a.lastTerm || b.offset - a.offset;\n',
        replace: '=> b.offset - a.offset || b.lastTerm - a.lastTerm;\n',
      },
    ],
    scenarios: ['a-strict-master-of-an-older-term-has-the-longer-history.yml'],
  },
  {
    name: 'strict-one-fence-is-enough',
    story: 'A leader promotes as soon as one voter is fenced.',
    edits: [
      {
        file: 'core/failover/voters.js',
        find: '    return Math.max(1, config.voters.length - writeQuorum(config) + 1);\n',
        replace: '    return 1;\n',
      },
    ],
    scenarios: ['the-newest-strict-voter-is-out-of-reach.yml'],
  },
  {
    name: 'strict-emptied-node-votes',
    story:
      'A node that has lost its disk, and a fence with it, acknowledges to whatever master it finds.',
    edits: [
      {
        file: STRICT,
        find: '        if (term.number > 0)\n            this.quorum.meets(peer);\n',
        replace: '        this.quorum.meets(peer);\n',
      },
    ],
    scenarios: ['a-strict-voter-that-was-emptied-forgets-its-fence.yml'],
  },
  {
    name: 'strict-restarted-node-votes',
    story: 'A restarted node counts as a voter before it has caught up.',
    edits: [{ file: STRICT, find: '    #isVoter = false;\n', replace: '    #isVoter = true;\n' }],
    scenarios: ['a-strict-voter-comes-back-without-its-memory.yml'],
  },
  {
    name: 'strict-reads-need-no-round',
    story: 'A linearizable read is answered by what was acknowledged before it came in.',
    edits: [
      {
        file: QUORUM,
        find: 'this.#readOffset = Math.max(this.#history.offset, this.#turnOffset + 1);',
        replace: 'this.#readOffset = 0;',
      },
    ],
    scenarios: ['a-strict-master-is-cut-off-with-a-rare-client.yml'],
  },
]
