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
  {
    name: 'strict-answers-wait-for-the-turn-before',
    story: 'What a command did in its own turn is not counted into what its answer waits for.',
    edits: [
      {
        file: QUORUM,
        find: '        return Math.max(this.#history.offset, this.#readOffset);\n',
        replace: '        return Math.max(this.#turnOffset, this.#readOffset);\n',
      },
    ],
    scenarios: ['a-strict-master-writes-alone.yml'],
  },
  {
    name: 'strict-late-answers-are-told',
    story:
      'Answers that have waited for sync-replication-timeout are sent, as if that were an acknowledgement.',
    edits: [
      {
        file: QUORUM,
        find: '        this.#cutOff(this.nowMs - this.#timeoutMs);\n',
        replace:
          '        if (this.#node.syncGate.overdue(this.nowMs - this.#timeoutMs).length === 0) return;\n' +
          '        this.#confirmedOffset = this.#history.offset;\n        this.#node.syncGate.release();\n',
      },
    ],
    scenarios: ['a-strict-master-is-cut-off-for-long.yml'],
  },
  {
    name: 'strict-fenced-voter-acknowledges',
    story: 'A fenced voter goes on with the stream of its master, and acknowledges it.',
    edits: [
      { file: STRICT, find: '        this.#role.freeze();\n', replace: '' },
      { file: STRICT, find: '.isStored && !this.#isFrozen)', replace: '.isStored)' },
    ],
    scenarios: ['a-fenced-strict-voter-still-sees-its-master.yml'],
  },
  {
    name: 'strict-older-masters-are-followed',
    story: 'Neither the master nor the replica compares terms when they connect.',
    edits: [
      {
        file: STRICT,
        find: '        if (number < this.#kept.number)\n',
        replace: '        if (number < 0)\n',
      },
      {
        file: STRICT,
        find: '        if (term.number > this.#kept.number) {\n',
        replace: '        if (term.number < 0) {\n',
      },
      {
        file: STRICT,
        find: '        this.#file.keep({ number, leader, layout, hasJoined: true }',
        replace: '        this.#file.keep({ ...this.#kept, layout, hasJoined: true }',
      },
    ],
    scenarios: ['a-fenced-strict-voter-still-sees-its-master.yml'],
  },
  {
    name: 'strict-fence-is-told-before-it-is-kept',
    story: 'A voter answers FENCE while its term is still being written.',
    edits: [
      {
        file: STRICT,
        find: '        this.#file.keep({ ...this.#kept, ...term, layout }, (failure) => {\n',
        replace:
          '        this.#file.keep({ ...this.#kept, ...term, layout }, () => {});\n        answer(this.#standing());\n        (() => {\n',
      },
    ],
    scenarios: ['a-strict-voter-dies-while-it-writes-its-fence.yml'],
  },
  {
    name: 'strict-voters-that-are-behind-count',
    story: 'A leader counts any node that answers its fence, voter or not.',
    edits: [
      {
        file: FENCING,
        find: "typeof standing !== 'object' || standing.kind !== 'voter'",
        replace: "typeof standing !== 'object'",
      },
    ],
    scenarios: ['a-strict-voter-comes-back-without-its-memory.yml'],
  },
  {
    name: 'strict-one-new-node-makes-a-first-term',
    story:
      'One node that was never in a term is enough for the configured master to get the first one.',
    edits: [
      {
        file: FENCING,
        find: '    return voters.every(({ name }) => {\n',
        replace: '    return voters.some(({ name }) => {\n',
      },
    ],
    scenarios: ['a-strict-master-and-a-voter-come-back-without-data.yml'],
  },
  {
    name: 'strict-majority-of-fences',
    story: 'A majority of the voters is fenced, whatever the write quorum is.',
    edits: [
      {
        file: 'core/failover/voters.js',
        find: '    return Math.max(1, config.voters.length - writeQuorum(config) + 1);\n',
        replace: '    return Math.floor(config.voters.length / 2) + 1;\n',
      },
    ],
    scenarios: ['a-strict-write-quorum-of-two-of-five.yml'],
  },
  {
    name: 'strict-fastest-voter-decides',
    story: 'With five voters a write is answered when the first of the two that are needed has it.',
    edits: [{ file: QUORUM, find: 'offsets[needed - 1]', replace: 'offsets[0]' }],
    scenarios: ['the-fastest-of-five-strict-voters.yml'],
  },
  {
    name: 'strict-terms-of-the-master-are-not-taken',
    story: 'A replica does not learn where the terms of its master begin.',
    edits: [
      {
        file: STRICT,
        find: '            this.#marks = this.#meeting.marks;\n',
        replace: '            this.#meeting;\n',
      },
    ],
    scenarios: ['a-strict-master-of-an-older-term-comes-back.yml'],
  },
  {
    name: 'strict-named-replica-before-history',
    story: 'On an order the replica that was named is promoted, whatever it has.',
    edits: [
      {
        file: FENCING,
        find: '    if (target !== undefined && equals.includes(target))\n',
        replace: '    if (target !== undefined && fenced.some(({ node }) => node === target))\n',
      },
    ],
    scenarios: ['an-order-names-a-strict-replica-that-lags.yml'],
  },
  {
    name: 'strict-heir-before-history',
    story:
      'On an order the replica that the master was to hand over to is promoted, whatever it has.',
    edits: [
      {
        file: FENCING,
        find: '    const heir = equals.find(({ name }) => name === fencing?.handover?.heir);\n',
        replace:
          '    const heir = fenced.map(({ node }) => node).find(({ name }) => name === fencing?.handover?.heir);\n',
      },
    ],
    scenarios: ['an-order-prefers-a-strict-replica-that-lags.yml'],
  },
  {
    name: 'strict-vote-is-not-renewed',
    story: 'A voter whose disk was replaced has no vote before the next failover.',
    edits: [
      {
        file: 'core/failover/renewal.js',
        find: "    standForElection(turn, group, 'renewal');\n",
        replace: '',
      },
    ],
    scenarios: ['../../../scenarios/86-strict-voter-with-a-new-disk.yml'],
  },
  {
    name: 'strict-restarted-master-goes-on',
    story: 'A node that was the master of a term is its master again when it starts.',
    edits: [
      {
        file: STRICT,
        find: '                this.#cannotRead(problem);\n',
        replace:
          '                this.#cannotRead(problem);\n            if (this.#kept.hasJoined && !this.#role.isFollower())\n                this.#begin(this.#kept);\n',
      },
    ],
    scenarios: ['a-strict-master-is-restarted-without-data.yml'],
  },
]
