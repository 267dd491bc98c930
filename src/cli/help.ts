/**
 * The longer part of each program's help: its usage, an example, and the meaning of its exit
 * status.
 */

export const UP_HELP = `
Every node and every Sentinel is a process of its own. Ctrl-C ends them all. On a terminal there is
a live view, and these keys: k kill the master, p pause it, c cut it off from the rest, b bring it
back, w start or stop a client that writes all the time, o open the page in a browser, q quit.

While it runs, programs in any language do the same from outside: vedette up kill, stop, cut, back,
status, each with --json.

Example:
  vedette up --replicas 2 --sentinels 3 --port 7000
  vedette up kill && vedette up status --json
  redis-cli -p 7100 sentinel get-master-addr-by-name mymaster

Exit status: 0 ended on request, 1 could not start, 2 wrong options or configuration.`

export const SENTINEL_HELP = `
FILE is a sentinel.yml, or a sentinel.conf as redis-sentinel takes it. It is never written: what the
Sentinel learns goes to a state file in its state-dir (by default the folder of FILE).
Directives on the command line override the file, as with Redis: --port 26380 --loglevel debug. A last
word of - reads more lines of a sentinel.conf from standard input. SIGHUP reads all of it again.

Example:
  vedette sentinel /etc/vedette/sentinel.yml --port 26380

Exit status: 0 stopped on request (with daemonize yes: it runs), 1 could not start, failed or a wrong
sentinel.conf, 2 a wrong sentinel.yml.`

export const SERVER_HELP = `
Arguments are those of redis-server: a redis.conf if the first one does not begin with --, then
directives that override it. The file is never written: what CONFIG REWRITE keeps goes to a file
beside it, <redis.conf>.learnt, which is read after it; delete that file to go back to redis.conf.

Example:
  vedette server redis.conf --port 7000 --replicaof 127.0.0.1 6379

Exit status: 0 stopped on request, 1 wrong configuration, could not start, or failed.`

export const CHECK_HELP = `
Says what is wrong with a sentinel.yml, sentinel.conf or redis.conf, what is unwise about it (a node that
keeps nothing, a dump that will not be loaded, rights that are missing), and what has no effect.

Example:
  vedette check sentinel.yml
  vedette check sentinel.conf --json
  vedette check sentinel.yml --settings
  vedette check --deep sentinel.yml --timeout 20s
  REDISCLI_AUTH=secret vedette check --deep /etc/redis/redis.conf --user admin

What the file names on this machine has to be there: certificates and keys, ACL files, secrets and
authorities of webhooks, the token of HTTP, the folder of the state, addresses to bind to. With
--elsewhere nothing of that is looked for.

With --settings the options in force are shown as well, group by group: a group's own, what it inherits
from defaults:, and what is the program's. With --json that is {problems, settings}.

With --deep every node of every group and every Sentinel is asked, as the configured users and with the
configured certificates: do they let us in, with every right that a failover needs, and do their
settings fit together? Nothing is changed there. ✗ must be mended, ! should be looked at, ✓ is in order.

Exit status: 0 it can be used (warnings may have been shown), 2 it cannot. With --deep: 0 all is in
order, 1 something should be looked at or was not asked in time, 2 something must be mended.`

export const EXPORT_CONF_HELP = `
Writes what FILE says and what the Sentinel has learnt since, as redis-sentinel writes it: current
masters, known replicas and Sentinels, epochs, its id, changed options, users. Beside a running
Sentinel it reads the state that was saved last. What Redis 7.0 could not keep is refused in words.

Example:
  vedette export-conf /etc/redis/sentinel.conf --out /tmp/sentinel.conf
  vedette export-conf sentinel.yml --state /var/lib/vedette/sentinel-26379.state

Exit status: 0 written, 1 it cannot be written or said, 2 wrong configuration.`

export const SCENARIO_HELP = `
Engines: sim runs on virtual time, and a seed decides everything; tcp runs on real sockets in this
process; process gives every node a process and a network of its own, which needs root, and with
--against redis or mixed plays the same file against the redis-server and redis-sentinel installed
here. What an engine cannot do it says, and the scenario counts as skipped.

Example:
  vedette scenario run scenarios/*.yml --seed 42
  vedette scenario run scenarios/01-master-killed.yml --seeds 1..50 --brief
  vedette scenario run scenarios/01-master-killed.yml --report pages

Exit status: 0 every expectation held (what was skipped is named), 1 one did not, 2 a scenario file
or the command line is wrong, 3 nothing was played, since all of it was skipped.`

export const FUZZ_HELP = `
Each seed stands for a cluster, its load and its faults, and for everything chance decides while they
are played on virtual time. After some time of faults everything is healed, and the cluster has to
come to rest and to take writes again. What fails is made small and written as a scenario file.
With --profile noise the cluster is healthy and only the network is not: 5 % loss, jitter up to half of
down-after, hangs and cuts up to down-after less a tenth, resets, restarts faster than refused-after.
Whatever tries to fail over then fails the seed; each is played with both modes of detection.
With --profile stall processes stop for longer than min-replicas-max-lag and ways are cut in one direction,
while clients with the manners of ioredis write: nobody may promise what only he has.
With --profile liar a stranger is on the network, half of the time of a cluster with a password, which it
may know: hellos, votes and answers with hostile epochs, ids and addresses, between ordinary accidents.
When it has fallen silent a master dies, and has to be replaced in the time of an ordinary failover.
With --profile long-life one cluster lives for thirty days with a rare fault every few hours, and its machines
are measured every day: nothing may grow. A month takes some minutes.
With --profile shared the clients of one group fight for the same keys under every kind of fault, and all their
answers together must have a linear order wherever one life of one master gave them.
With --guided each run is measured; one that reached new code, the same code more often, or an event in another
state of a failover is kept, and most of the next runs are such a plan with changes. The files of
failures hold all that is needed to replay them.
With --engine tcp or process the same clusters meet five seconds of their faults on real sockets or real
processes, in real time: half a minute each, without what costs TILT and without what the engine cannot do.
A run that fails for an expectation is played once more, and none is made small.
With --minutes and no last seed it goes on with new seeds until the time is over.

Example:
  vedette fuzz --seeds 1..1000
  vedette fuzz --engine tcp --seeds 1..8
  vedette fuzz --seeds 5000.. --minutes 10 --stop-at-first
  vedette fuzz --guided --minutes 10
  vedette fuzz --seeds 1..1000 --coverage
  vedette fuzz --profile noise --seeds 1..2000 --json
  vedette fuzz --profile stall --seeds 1..2000
  vedette fuzz --profile liar --seeds 1..200
  vedette fuzz --profile shared --seeds 1..200
  vedette fuzz --profile long-life --seeds 1..2
  vedette fuzz --seeds 7 --print > seed-7.yml && vedette scenario run seed-7.yml --seed 7

Exit status: 0 nothing failed, 1 something did, 2 the command line is wrong, 3 this machine cannot play
anything with that engine, 130 ended with Ctrl-C.`

export const SIMULATE_HELP = `
Builds the cluster your files describe (masters, rules, and what a Sentinel has learnt of replicas
and other Sentinels), assumes the rest and says so, and plays random histories against it on virtual
time: crashes, restarts, power cuts, hangs, partitions, slow networks. What a node still has when it
comes back its redis.conf decides (save, appendonly, appendfsync). Tells how long it took to notice and
to recover, how many acknowledged writes were lost, which failovers were needless or did not come, and
which setting is the cause. With --compare or --compare-server both configurations meet the same.

Example:
  vedette simulate /etc/redis/sentinel.conf --server /etc/redis/redis.conf --sentinels 3
  vedette simulate sentinel.yml --profile cross-zone --compare faster.yml
  vedette simulate sentinel.yml --seed 17 --write seed-17.yml

Exit status: 0 done, 1 a history could not be played, 2 a configuration or the command line is
wrong, 130 ended with Ctrl-C, after telling what there was.`

export const STATUS_HELP = `
Asks one Sentinel, then all the others it knows, Vedette's and Redis' alike, and holds their answers
against each other: who is the master, who is down for whom, could a failover be authorized now, do
their settings agree, why does an instance turn a Sentinel away, and how far is each replica behind (as
the master told a Sentinel last, at most ten seconds ago).

Example:
  vedette status
  vedette status mymaster --sentinel 10.0.0.1:26379 --watch
  REDISCLI_AUTH=secret vedette status --json | jq .health

Exit status: 0 all is well, 1 something needs attention, 2 the command line is wrong, 3 a group has no
master all agree on, or could not be failed over now, 4 no Sentinel answered.`

export const FAILOVER_HELP = `
Asks a Sentinel to promote the best replica now, as SENTINEL FAILOVER does. What the master has
acknowledged and not yet replicated is lost; with --coordinated the master itself pauses its clients,
waits for the replica and hands over, so that nothing is (the master must know FAILOVER: 6.2 or newer).
With --to you choose the replica: it may be in another zone, but a rule must-not, or replica-priority 0,
holds for you, too. --dry-run tells what would be done, in order, and why each other replica would not be
promoted, and changes nothing.

Example:
  vedette failover mymaster --coordinated --wait
  vedette failover mymaster --coordinated --to 10.0.0.3:6379 --dry-run
  vedette failover mymaster --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379

Exit status: 0 done, begun without --wait, or with --dry-run possible, 1 refused, not possible, given up or
not complete in time, 2 the command line is wrong, 4 no Sentinel answered.`

export const EXPLAIN_HELP = `
Asks all Sentinels of the group and its nodes, changes nothing, and tells what would happen if the master
died now: which Sentinel would notice after what time, whether quorum and majority are there, who would lead,
which replica would be promoted and why none of the others (a dry run, answered by the code that decides),
how long it would take, and what would be lost. Then what the loss of each host would mean, and which is
the weakest point. With --lose and --cut the same for other accidents. A host that is lost is silent; of
a process (host:port) that dies its machine refuses connections.

Nodes are asked how fast they write and for min-replicas-to-write; where that is refused, --node-user and
--node-pass help.

Example:
  vedette explain mymaster
  vedette explain mymaster --lose 10.0.0.1 --lose 10.0.0.2 --sentinel 10.0.0.3:26379
  vedette explain mymaster --cut 10.0.0.1,10.0.0.2 --json | jq .outcome

Exit status: 0 there would be a master that takes writes, 1 there would be none, 2 the command line is
wrong, or no such group or host is known, 4 no Sentinel answered.`

export const PLAN_HELP = `
Asks the Sentinels and nodes of a group, changes nothing, and tells step by step what to type, what to wait
for, and what could go wrong: what the death of the master in the middle of each step would mean.

Example:
  vedette plan switchover mymaster --to 10.0.0.2:6379
  vedette plan upgrade mymaster --sentinel 10.0.0.1:26379
  vedette plan remove-sentinel mymaster 10.0.0.3:26379 --json

Exit status: 0 it could be begun now, 1 something is in the way, 2 the command line is wrong, or no such
group or Sentinel is known, 4 no Sentinel answered.`

export const DRAIN_HELP = `
For redis-server and Valkey, which just end when they are told to. (\`vedette server\` hands over by itself
when it gets SIGTERM.) A master has a Sentinel arrange a coordinated failover, as \`vedette failover
--coordinated --wait\` does, and this ends when every Sentinel names another master; a replica, and a
master without replicas, can be stopped as they are. A Sentinel that refuses, because no replica is fit
or a failover runs, is asked again for five seconds. The password in REDISCLI_AUTH is for the node and for
the Sentinels; where they differ, --node-pass and --pass say so.

Example:
  vedette drain --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379
  vedette drain --node 127.0.0.1:6380 --timeout 8s --json
  lifecycle: {preStop: {exec: {command: [vedette, drain, --sentinel, 'sentinels:26379']}}}

Exit status: 0 it may be stopped, 1 refused, given up or not complete in time: it is still the master, 2 the
command line is wrong, 4 the node or no Sentinel answers.`

export const PAUSE_HELP = `
Keeps all Sentinels from failing the group over by themselves, for at most a day. Masters are still watched,
and \`vedette failover\` still works. One Sentinel is told, and tells the others: it is refused unless a
majority of all can hold the pause (redis-sentinels cannot), so that nobody can be elected while it
lasts. It ends by itself, or with \`vedette resume\`; the same command again sets a new end.

Example:
  vedette pause mymaster --for 30m --reason 'new kernel on db1'
  vedette pause mymaster --for 2h --sentinel 10.0.0.1:26379 --json

Exit status: 0 paused, 1 refused: nothing is paused, 2 the command line is wrong, 4 no Sentinel answered.`

export const RESUME_HELP = `
Ends a pause before its time. If the master is down by then, a failover begins within a round trip.
Sentinels out of reach hear of it as soon as they can be reached: until then they give no vote.

Example:
  vedette resume mymaster --sentinel 10.0.0.1:26379

Exit status: 0 resumed, 1 refused, or nothing was paused, 2 the command line is wrong, 4 no Sentinel
answered.`

export const FORGET_HELP = `
Makes all Sentinels forget a replica or a Sentinel that is gone for good, by its address. It must be down
for a majority of the Sentinels, and the quorum must stay within reach of those that are left. Other
instances, votes and epochs stay, unlike with SENTINEL RESET. One that is only cut off is found again.

Example:
  vedette forget mymaster 10.0.0.7:6379
  vedette forget mymaster 10.0.0.3:26379 --sentinel 10.0.0.1:26379

Exit status: 0 forgotten, 1 refused, 2 the command line is wrong, 4 no Sentinel answered.`

export const EPOCHS_HELP = `
Each failover takes a new epoch, and only a program that believes everything gets to numbers like 2^48.
Where that has happened, --lower gives all Sentinels a number that honest elections can have reached: all
are frozen first, which means that nobody votes, and nothing is lowered unless every Sentinel that any of
them counts takes part and all name the same masters. If it is interrupted, run it again.

Example:
  vedette epochs --sentinel 10.0.0.1:26379
  vedette epochs --lower --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379

Exit status: 0 all is sound, or has been lowered, 1 something is wrong, or could not be lowered, 2 the
command line is wrong, 4 no Sentinel answered.`

export const LEDGER_SHOW_HELP = `
A data node that has to become a copy of its master writes down what the master never had, before it
throws it away: lost-writes-*.ledger in its dir. This shows who wrote it, why, and each command, with
its database in brackets. What is long is cut; --json has all of it, one character for each byte.

Example:
  vedette ledger show /var/lib/redis/lost-writes-8f3a01c2-1042-1700000000123.ledger

Exit status: 0 shown, 1 it cannot be read or is damaged, 2 the command line is wrong.`

export const INCIDENT_HELP = `
Reads the records of several Sentinels (black-box: yes; see vedette replay) and tells which of them noticed
what, how they agreed, who was elected and what followed. Their clocks may disagree by any amount: what
one heard from another orders them, and how far each clock is off is said. Copy the folders
<state file>.blackbox of all Sentinels to one place first; those that are missing are told by what
the others say.

Example:
  vedette incident sentinel-1.blackbox sentinel-2.blackbox sentinel-3.blackbox
  vedette incident --since 2026-11-20T00:00:00Z --json records/s1 records/s2 records/s3
  vedette incident --html incident.html records/s1 records/s2 records/s3

Exit status: 0 shown, 1 no Sentinel suspected a master then, or a record is damaged, 2 the command line
is wrong.`

export const REPLAY_HELP = `
With black-box: yes in its configuration, a Sentinel records every event it is told, in <state file>.blackbox. This
runs the same machine on such a record: it must do the same again, byte for byte. Where it does not,
the file, the offset and the step are named; please report that with the file. Records contain
addresses, names of groups and what clients asked, and no passwords.

With --step: space or n goes to the next decision, s to the next step, m ten decisions on, b back to
the decision before, q ends.

Example:
  vedette replay /var/lib/vedette/sentinel-26379.state.blackbox
  vedette replay --events sentinel-26379.state.blackbox/00000007.vbb
  vedette replay --at 2026-11-20T03:12:44Z sentinel-26379.state.blackbox

Exit status: 0 it decides the same, 1 it does not, or a record is damaged, 2 the command line is wrong.`

export const LEDGER_REPLAY_HELP = `
Sends the commands of a ledger to a server, in their order and to their databases. They are older than
what the server was told since, and may undo it: --dry-run shows them, and which of their keys the
server has now. With --only-missing-keys all that touches such a key is left out. That it was sent is
noted beside the ledger (.replayed), and a second time is refused without --again.

Example:
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --dry-run
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --yes

Exit status: 0 all were accepted, or shown, 1 some were refused, or the file is damaged, 2 the command
line is wrong, neither --yes nor --dry-run was given, or it was sent before, 4 the server does not answer.`
