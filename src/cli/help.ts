/**
 * The longer part of each program's help: its usage, an example, and the meaning of its exit
 * status.
 */

export const UP_HELP = `
Starts each node and each Sentinel as a process of its own; Ctrl-C ends them all. On a terminal you get
a live view with these keys: k kills the master, p pauses it, c cuts it off from the rest, b brings it
back, w starts or stops a client that writes all the time, o opens the page in a browser, q quits.

While the cluster runs, other programs can control it with vedette up kill, stop, cut, back and status;
each of them takes --json.

Example:
  vedette up --replicas 2 --sentinels 3 --port 7000
  vedette up kill && vedette up status --json
  redis-cli -p 7100 sentinel get-master-addr-by-name mymaster

Exit status: 0 you ended it, 1 it could not start, 2 an option or the configuration is wrong.`

export const SENTINEL_HELP = `
FILE is a sentinel.yml, or a sentinel.conf in the format of redis-sentinel. The Sentinel never writes to
it: what it learns goes to a state file in its state-dir (by default the folder of FILE).
Directives on the command line override the file, as with Redis: --port 26380 --loglevel debug. If the
last argument is -, further lines of a sentinel.conf are read from standard input. SIGHUP reads the
configuration again.

Example:
  vedette sentinel /etc/vedette/sentinel.yml --port 26380

Exit status: 0 you stopped it (or it runs in the background, with daemonize yes), 1 it could not start,
it failed, or its sentinel.conf is wrong, 2 its sentinel.yml is wrong.`

export const SERVER_HELP = `
Takes the arguments of redis-server: a redis.conf, if the first argument does not begin with --, and then
directives that override it. The server never writes to the file: CONFIG REWRITE saves changes beside
it, in <redis.conf>.learnt, which is read after it. A line of redis.conf that was changed since counts all the same.

Example:
  vedette server redis.conf --port 7000 --replicaof 127.0.0.1 6379

Exit status: 0 you stopped it, 1 its configuration is wrong, it could not start, or it failed.`

export const CHECK_HELP = `
Reports what is wrong with a sentinel.yml, sentinel.conf or redis.conf, what is risky (a node that keeps
nothing, a dump that will not be loaded, missing permissions), and what has no effect.

Example:
  vedette check sentinel.yml
  vedette check sentinel.conf --json
  vedette check sentinel.yml --settings
  vedette check --deep sentinel.yml --timeout 20s
  REDISCLI_AUTH=secret vedette check --deep /etc/redis/redis.conf --user admin

Everything that the file names must exist on this machine: certificates and keys, ACL files, secrets and
certificate authorities of webhooks, the HTTP token, the state folder, the addresses to bind to. With
--elsewhere none of these is looked for.

--settings also shows the options in force, group by group: which come from the group itself, which from
defaults:, and which are built-in defaults. With --json the result is {problems, settings}.

--deep also asks every Sentinel and every node of every group, as the configured users and with the
configured certificates. It checks that they accept the login, that the user has every permission a
failover needs, and that their settings fit together. It changes nothing there. ✗ must be fixed, ! deserves
a look, ✓ is in order.

Exit status: 0 the file can be used (there may be warnings), 2 it cannot, or there is none. With --deep: 0 all is in order,
1 something deserves a look or did not answer in time, 2 something must be fixed.`

export const EXPORT_CONF_HELP = `
Writes the contents of FILE and what the Sentinel has learnt since then, in the format of redis-sentinel:
current masters, known replicas and Sentinels, epochs, the Sentinel's id, changed options, users. If the
Sentinel is running, the state it saved last is used. The command refuses, with the reason, to export
what Redis 7.0 could not keep.

Example:
  vedette export-conf /etc/redis/sentinel.conf --out /tmp/sentinel.conf
  vedette export-conf sentinel.yml --state /var/lib/vedette/sentinel-26379.state

Exit status: 0 written, 1 it cannot be written or expressed, or the sentinel.conf is wrong, 2 the
sentinel.yml is wrong, or a file cannot be read.`

export const SCENARIO_HELP = `
Engines: sim runs on virtual time, and the seed decides everything. tcp runs on real sockets within this
process. process runs each node as a process with a network of its own, which needs root; with --against
redis or mixed it plays the same file against the redis-server and redis-sentinel installed here. If an
engine cannot do what a scenario asks for, it says so and counts the scenario as skipped.

Example:
  vedette scenario run scenarios/*.yml --seed 42
  vedette scenario run scenarios/01-master-killed.yml --seeds 1..50 --brief
  vedette scenario run scenarios/01-master-killed.yml --report pages
  vedette scenario run scenarios/01-master-killed.yml --engine process --records records

Exit status: 0 every expectation held (skipped scenarios are listed), 1 an expectation failed, 2 a
scenario file or the command line is wrong, 3 every scenario was skipped.`

export const FUZZ_HELP = `
Each seed decides a cluster, its load, its faults, and all randomness while they run on virtual time. After
the faults everything is healed; then the cluster must settle and take writes again. A run that fails is
reduced to a small one and written as a scenario file.

Profiles:
  faults     any fault that can be drawn.
  noise      the cluster is healthy and only the network is poor: 5 % loss, jitter up to half of
             down-after, hangs and cuts a little shorter than down-after, resets, and restarts faster
             than refused-after. Any attempt to fail over fails the seed. Each seed runs with both
             modes of detection.
  stall      processes stop for longer than min-replicas-max-lag and links are cut in one direction,
             while clients that behave like ioredis write. No node may acknowledge a write that only
             it holds.
  liar       a hostile program is on the network; in half of the clusters with a password it knows the
             password. It sends hellos, votes and replies with forged epochs, ids and addresses. After
             it falls silent a master dies, and must be replaced as fast as in any other cluster.
  long-life  one cluster lives for thirty days with a fault every few hours, and is measured every day:
             nothing may grow. A month takes some minutes.
  shared     the clients of one group write the same keys during every kind of fault. All their answers
             must fit one linear order, as long as they come from one life of one master.
  strict     the same for a group with strict replication, over all its masters: no acknowledged write
             may be lost. In every third run anything may die at any time.
  operators  during the faults a group is removed and monitored again, a Sentinel is reset in the middle
             of a failover, or the place of a dead replica is given to the master of another group. What
             Sentinels have promised must stand; nothing need work in the end.

Each seed also asks a data node or a Sentinel what Redis' own were asked once, and compares the answers.

--guided measures each run. It keeps a run that reached new code, ran code more often, or saw an event in
a new state of a failover, and makes most of the next runs by changing runs it kept. The files of failures
contain all that is needed to replay them.
--engine tcp and --engine process play the same clusters in real time, on real sockets or real processes:
five seconds of faults, half a minute for each run, without faults that lead to TILT or that the engine
cannot carry out. A run that fails an expectation is played once more; none is reduced.
With --minutes and an open range of seeds (5000..), new seeds run until the time is over.

Example:
  vedette fuzz --seeds 1..1000
  vedette fuzz --engine tcp --seeds 1..8
  vedette fuzz --seeds 5000.. --minutes 10 --stop-at-first
  vedette fuzz --guided --minutes 10
  vedette fuzz --seeds 1..1000 --coverage
  vedette fuzz --profile noise --seeds 1..2000 --json
  vedette fuzz --profile long-life --seeds 1..2
  vedette fuzz --seeds 7..7 --print > seed-7.yml && vedette scenario run seed-7.yml --seed 7

Exit status: 0 nothing failed, 1 a run failed, 2 the command line is wrong, 3 this machine cannot play
anything with that engine, 130 you pressed Ctrl-C.`

export const SIMULATE_HELP = `
Builds the cluster that your files describe (masters, rules, and what a Sentinel has learnt about replicas
and other Sentinels), lists what it had to assume, and plays random histories against it on virtual time:
crashes, restarts, power cuts, hangs, partitions, slow networks. The redis.conf of a node (save, appendonly,
appendfsync) decides what data it still has after a restart. The result says how long the cluster took to
notice and to recover, how many acknowledged writes were lost, which failovers were needless or missing, and
which setting is the cause. --compare and --compare-server play the same histories with another
configuration. --compare-replication plays them async, with min-replicas-to-write, and strict.

Example:
  vedette simulate /etc/redis/sentinel.conf --server /etc/redis/redis.conf --sentinels 3
  vedette simulate sentinel.yml --profile cross-zone --compare faster.yml
  vedette simulate sentinel.yml --compare-replication
  vedette simulate sentinel.yml --seed 17 --write seed-17.yml

Exit status: 0 done, 1 a history could not be played, 2 a configuration or the command line is wrong,
130 you pressed Ctrl-C; what had been measured by then was printed.`

export const STATUS_HELP = `
Asks one Sentinel, then all others it knows, Vedette and Redis alike, and compares their answers: which node
is the master, which instances each Sentinel considers down, whether a failover could be authorized now,
whether their settings agree, why an instance rejects a Sentinel, and how far each replica lags behind (as
the master last reported, at most ten seconds ago).

Example:
  vedette status
  vedette status mymaster --sentinel 10.0.0.1:26379 --watch
  REDISCLI_AUTH=secret vedette status --json | jq .health

Exit status: 0 all is well, 1 something needs attention, 2 the command line is wrong, or no Sentinel that
answers watches that group, 3 the Sentinels do not agree on the master of a group, or could not fail it over
now, 4 no Sentinel answered.
The health that --json prints is well with status 0, trouble with 1, and danger with 2, 3 and 4.`

export const FAILOVER_HELP = `
Asks a Sentinel to promote the best replica now, as SENTINEL FAILOVER does. Writes that the master has
acknowledged but not yet replicated are lost. With --coordinated no write is lost: the master pauses its
clients, waits for the replica and hands over to it (the master must have the command FAILOVER: Redis 6.2 or
newer). With --to you choose the replica: it may be in another zone, but the rule must-not and
replica-priority 0 still apply. --dry-run changes nothing; it lists the steps in order, and says why each
other replica would not be promoted.

Example:
  vedette failover mymaster --coordinated --wait
  vedette failover mymaster --coordinated --to 10.0.0.3:6379 --dry-run
  vedette failover mymaster --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379

Exit status: 0 done (without --wait: begun; with --dry-run: possible), 1 refused, not possible, given up, or
not complete in time, 2 the command line is wrong, or no such group is known, 4 no Sentinel answered.`

export const EXPLAIN_HELP = `
Asks all Sentinels and nodes of the group, changes nothing, and says what would happen if the master died
now: which Sentinel would notice and when, whether there is a quorum and a majority, which Sentinel would
lead, which replica it would promote and why no other (a dry run by the code that decides), how long the
failover would take, and what would be lost. It then says what the loss of each host would mean, and names
the weakest point. --lose and --cut ask the same about other accidents. A lost host does not answer at all;
if only a process (host:port) dies, its machine refuses connections.

The nodes are asked for their write rate and their min-replicas-to-write. If they refuse, give a login with
--node-user and --node-pass.

Example:
  vedette explain mymaster
  vedette explain mymaster --lose 10.0.0.1 --lose 10.0.0.2 --sentinel 10.0.0.3:26379
  vedette explain mymaster --cut 10.0.0.1,10.0.0.2 --json | jq .outcome

Exit status: 0 there would be a master that takes writes, 1 there would be none, 2 the command line is
wrong, or no such group or host is known, 4 no Sentinel answered.`

export const PLAN_HELP = `
Asks the Sentinels and nodes of a group and prints a plan, step by step: what to type, what to wait for, and
what could go wrong, including what would happen if the master died in the middle of each step. It changes
nothing.

Example:
  vedette plan switchover mymaster --to 10.0.0.2:6379
  vedette plan upgrade mymaster --sentinel 10.0.0.1:26379
  vedette plan remove-sentinel mymaster 10.0.0.3:26379 --json

Exit status: 0 you could begin now, 1 something stands in the way, 2 the command line is wrong, or no such
group or Sentinel is known, 4 no Sentinel answered.`

export const DRAIN_HELP = `
Run this before you stop a redis-server or Valkey, which end without handing over. (\`vedette server\` hands
over by itself on SIGTERM.) If the node is a master, the command asks a Sentinel for a coordinated failover,
as \`vedette failover --coordinated --wait\` does, and returns when every Sentinel names another master. A
replica, or a master without replicas, can be stopped at once. If the Sentinel refuses, because no replica
is fit or a failover is running, the command asks again for five seconds. The password in REDISCLI_AUTH is
used for the node and for the Sentinels; if they differ, use --node-pass and --pass.

Example:
  vedette drain --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379
  vedette drain --node 127.0.0.1:6380 --timeout 8s --json
  lifecycle: {preStop: {exec: {command: [vedette, drain, --sentinel, 'sentinels:26379']}}}

Exit status: 0 the node may be stopped, 1 the handover was refused, given up, or not complete in time, and
the node is still the master, 2 the command line is wrong, 4 the node does not answer, or no Sentinel does.`

export const PAUSE_HELP = `
Keeps all Sentinels from failing the group over by themselves, for at most a day. They still watch the
master, and \`vedette failover\` still works. The command tells one Sentinel, and that Sentinel tells the
others. The pause is refused unless a majority of all Sentinels can hold it (redis-sentinel cannot), so no
Sentinel can be elected while it lasts. It ends by itself or with \`vedette resume\`; run the command again
to set a new end.

Example:
  vedette pause mymaster --for 30m --reason 'new kernel on db1'
  vedette pause mymaster --for 2h --sentinel 10.0.0.1:26379 --json

Exit status: 0 paused, 1 refused, nothing is paused, 2 the command line is wrong, or no such group is known,
4 no Sentinel answered.`

export const RESUME_HELP = `
Ends a pause early. If the master is down, a failover begins within a round trip. A Sentinel that cannot be
reached now learns of it as soon as it can be reached; until then it gives no vote.

Example:
  vedette resume mymaster --sentinel 10.0.0.1:26379

Exit status: 0 resumed, 1 refused, or nothing was paused, 2 the command line is wrong, or no such group is
known, 4 no Sentinel answered.`

export const FORGET_HELP = `
Makes all Sentinels forget the replica or Sentinel at this address, because it is gone for good. A majority
of the Sentinels must consider it down, and those that remain must still be able to reach the quorum. Other
instances, votes and epochs are kept, unlike with SENTINEL RESET. If the instance was only cut off, the
Sentinels find it again.

Example:
  vedette forget mymaster 10.0.0.7:6379
  vedette forget mymaster 10.0.0.3:26379 --sentinel 10.0.0.1:26379

Exit status: 0 forgotten, 1 refused, 2 the command line is wrong, or no such group is known, 4 no Sentinel
answered.`

export const EPOCHS_HELP = `
Each failover takes a new epoch. A Sentinel reaches numbers like 2^48 only if it believed a forged message.
In that case --lower gives all Sentinels a number that honest elections could have reached. It first freezes
all of them, so that none gives a vote. It lowers nothing unless every known Sentinel takes part and all
name the same masters. If it is interrupted, run it again.

Example:
  vedette epochs --sentinel 10.0.0.1:26379
  vedette epochs --lower --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379

Exit status: 0 all epochs that are known are sound or have been lowered, 1 something is wrong or could not be
lowered, 2 the command line is wrong, 4 no Sentinel answered.`

export const LEDGER_SHOW_HELP = `
When a data node has to become a copy of its master, it first saves the writes that the master never had,
in lost-writes-*.ledger in its dir. This command shows which node wrote the file, why, and each command
with its database in brackets. Long commands are cut; --json shows them in full, one character for each
byte.

Example:
  vedette ledger show /var/lib/redis/lost-writes-8f3a01c2-1042-1700000000123.ledger

Exit status: 0 shown, 1 the file is damaged or cannot be read, 2 the command line is wrong.`

export const LEDGER_GROUP_HELP = `
A data node that loses writes keeps them in a ledger. This command finds the ledgers of all nodes of a group:
any Sentinel leads to the others and to the nodes. A node that keeps no ledgers, because it is a redis-server,
or does not answer is named. On the nodes it takes +ledger, for --node-user. A ledger holds keys and values:
fetch writes each into a file of its own name, for this user alone, which vedette ledger show and vedette
ledger replay read.

Example:
  vedette ledger list --sentinel 10.0.0.1:26379 --group mymaster
  vedette ledger fetch --sentinel 10.0.0.1:26379 --out ledgers

Exit status: 0 all nodes answered, 1 some did not, or a ledger could not be fetched, 2 the command line is
wrong, or no Sentinel watches that group, 4 no Sentinel answered.`

export const INCIDENT_HELP = `
Fetches the records of all Sentinels of a group (see vedette replay), or reads them from files,
and tells which Sentinel noticed what, how they agreed, which one was elected, and what followed. Their clocks
may disagree by any amount: messages between them give the order, and the offset of each clock is shown. If
the record of a Sentinel is missing, its part is told from the records of the others. The nodes are asked for
ledgers of lost writes, and for their journals (black-box yes). It takes +sentinel|black-box on the Sentinels, and
+ledger and +black-box on the nodes (--node-user).

With files, name the folders <state file>.blackbox of all Sentinels, copies of them, or a bundle; what the
journals of data nodes (node-<port>.blackbox) say of that time is set beside them. --bundle
writes the segments that hold the incident into one file, which vedette incident and vedette replay read
anywhere. With --pseudonyms other names and addresses stand in it; ports, times and run ids stay.

--what-if reconstructs the incident, plays it in the simulated world with the settings as they were, and says how
near that comes; then, with --set, as they might be: options of the group, or directives of the nodes.

Example:
  vedette incident --sentinel 10.0.0.1:26379
  vedette incident --sentinel 10.0.0.1:26379 --group mymaster --id mymaster-7 --html incident.html
  vedette incident --since 2026-11-20T00:00:00Z --json records/s1 records/s2 records/s3
  vedette incident --sentinel 10.0.0.1:26379 --bundle incident.bundle --pseudonyms
  vedette incident --what-if --set down-after=3s --set quorum=3 --scenario incident.yml records/s1 records/s2

Exit status: 0 shown, 1 no Sentinel suspected a master in that time, a record is damaged, or what was played is
more than a fifth off, 2 the command line is wrong, or no Sentinel watches that group, 4 no Sentinel answered, or none has a record.`

export const REPLAY_HELP = `
A Sentinel records every event it receives, in <state file>.blackbox, unless its configuration
says black-box: no. This command runs the same machine on such a record: it must do the same again, byte
for byte. If it does not, the file, the offset and the step are printed; please report them together with
the file. Records contain addresses, names of groups and what clients asked, but no passwords. Of a journal,
in which a data node says what happened to it, nothing can be played again: --events lists it.

Keys with --step: space or n go to the next decision, s to the next step, m ten decisions on, b back to the
previous decision, q quits.

Example:
  vedette replay /var/lib/vedette/sentinel-26379.state.blackbox
  vedette replay --events sentinel-26379.state.blackbox/00000007.vbb
  vedette replay --at 2026-11-20T03:12:44Z sentinel-26379.state.blackbox

Exit status: 0 it decides the same, 1 it does not, or a record is damaged, 2 the command line is wrong.`

export const LEDGER_REPLAY_HELP = `
Sends the commands of a ledger to a server, in their order and to their databases. They are older than
writes the server has received since, and may undo those: --dry-run shows them, and which of their keys the
server has now. --only-missing-keys leaves out every command that touches such a key. A note beside the
ledger (.replayed) records that it was sent, and a second time is refused without --again.

Example:
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --dry-run
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --yes

Exit status: 0 all commands were accepted (with --dry-run: shown), 1 some were refused, or the file is damaged,
2 the command line is wrong, neither --yes nor --dry-run was given, or the ledger was sent before, 4 the server
does not answer.`
