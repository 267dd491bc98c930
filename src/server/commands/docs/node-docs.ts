/** What COMMAND DOCS says of the commands on connections and the node; see docs-text.ts for the notation. */
export const NODE_DOCS = `
asking 3.0.0: In a cluster, asks for a key that is on its way.
cluster 3.0.0: Commands about a cluster.
cluster|addslots 3.0.0: In a cluster, takes slots.
  slot:integer*
cluster|addslotsrange 7.0.0: In a cluster, takes ranges of slots.
  start-slot_end-slot{start-slot:integer end-slot:integer}*
cluster|bumpepoch 3.0.0: In a cluster, raises the epoch.
cluster|count-failure-reports 3.0.0: In a cluster, counts who takes a node for failing.
  node-id
cluster|countkeysinslot 3.0.0: In a cluster, counts the keys of a slot.
  slot:integer
cluster|delslots 3.0.0: In a cluster, gives slots up.
  slot:integer*
cluster|delslotsrange 7.0.0: In a cluster, gives ranges of slots up.
  start-slot_end-slot{start-slot:integer end-slot:integer}*
cluster|failover 3.0.0: In a cluster, makes a replica the master.
  options(force!|takeover!)?
cluster|flushslots 3.0.0: In a cluster, gives all slots up.
cluster|forget 3.0.0: In a cluster, forgets a node.
  node-id
cluster|getkeysinslot 3.0.0: In a cluster, shows keys of a slot.
  slot:integer count:integer
cluster|help 5.0.0: Explains the subcommands.
cluster|info 3.0.0: In a cluster, describes its state.
cluster|keyslot 3.0.0: In a cluster, tells the slot of a key.
  key
cluster|links 7.0.0: In a cluster, shows the links to other nodes.
cluster|meet 3.0.0: In a cluster, makes two nodes know one another.
  ip port:integer cluster_bus_port:integer@4.0.0?
cluster|myid 3.0.0: In a cluster, tells the id of the node.
cluster|nodes 3.0.0: In a cluster, shows its nodes.
cluster|replicas 5.0.0: In a cluster, shows the replicas of a node.
  node-id
cluster|replicate 3.0.0: In a cluster, makes the node a replica.
  node-id
cluster|reset 3.0.0: In a cluster, makes the node forget it.
  hard_soft(hard!|soft!)?
cluster|saveconfig 3.0.0: In a cluster, saves what the node knows of it.
cluster|set-config-epoch 3.0.0: In a cluster, sets the epoch of a new node.
  config-epoch:integer
cluster|setslot 3.0.0: In a cluster, says where a slot is.
  slot:integer subcommand(IMPORTING=node-id|MIGRATING=node-id|NODE=node-id|stable!)
cluster|shards 7.0.0: In a cluster, shows which nodes have which slots.
cluster|slaves 3.0.0~5.0.0: In a cluster, shows the replicas of a node.
  node-id
cluster|slots 3.0.0~7.0.0: In a cluster, shows where each slot is.
module 4.0.0: Commands about modules.
module|help 5.0.0: Explains the subcommands.
module|list 4.0.0: Lists the modules that are loaded.
module|load 4.0.0: Loads a module.
  path arg?*
module|loadex 7.0.0: Loads a module with settings of its own.
  path CONFIG=configs{name value}?+* ARGS=args{arg}?*
module|unload 4.0.0: Unloads a module.
  name
readonly 3.0.0: In a cluster, reads from replicas.
readwrite 3.0.0: In a cluster, no longer reads from replicas.
auth 1.0.0: Logs in.
  username@6.0.0? password
client 2.4.0: Commands about connections.
client|caching 6.0.0: Says whether the keys of the next command are tracked.
  mode(yes!|no!)
client|getname 2.6.9: Tells the name of the connection.
client|getredir 6.0.0: Tells which connection hears of changed keys.
client|help 5.0.0: Explains the subcommands.
client|id 5.0.0: Tells the id of the connection.
client|capa 8.0.0: Tells what the client can do: follow a redirection.
  capability*
client|maint_notifications 8.4.0: Tells the client where to go before its master hands over.
  state(on=on!|off=off!) type('moving-endpoint-type'=type?)?
client|info 6.2.0: Describes the connection.
client|kill 2.4.0: Closes connections.
  filter('ip:port'~2.8.12|new-format(ID=client-id:integer@2.8.12?|TYPE=normal_master_slave_pubsub(normal!|master!@3.2.0|slave!|replica!@5.0.0|pubsub!)@2.8.12?|USER=username?|ADDR='ip:port'?|LADDR='ip:port'@6.2.0?|SKIPME='yes/no'?)*)
client|list 2.4.0: Describes connections.
  TYPE=normal_master_replica_pubsub(normal!|master!|replica!|pubsub!)@5.0.0?
  ID=id{client-id:integer*}@6.2.0?
client|no-evict 7.0.0: Says whether the connection may be closed when memory is short.
  enabled(on!|off!)
client|no-touch 7.2.0: Says whether reading keys counts as using them.
  enabled(on!|off!)
client|pause 2.9.50: Holds back the commands of clients for a while.
  timeout:integer mode(write!|all!)@6.2.0?
client|reply 3.2.0: Says whether the connection is answered.
  on_off_skip(on!|off!|skip!)
client|setinfo 7.2.0: Names the library behind the connection.
  attr(LIB-NAME=libname|LIB-VER=libver)
client|setname 2.6.9: Names the connection.
  connection-name
client|tracking 6.0.0: Asks to be told when keys change that the connection has read.
  status(on!|off!) REDIRECT=client-id:integer? PREFIX=prefix?+* bcast!? optin!? optout!?
  noloop!?
client|trackinginfo 6.2.0: Shows what the connection is told of changed keys.
client|unblock 5.0.0: Ends the wait of a connection.
  client-id:integer timeout_error(timeout!|error!)?
client|unpause 6.2.0: Ends a pause.
echo 1.0.0: Answers with the same text.
  message
hello 6.0.0: Begins a connection: protocol, login and name.
  arguments{protover:integer AUTH=username_password{username password}? SETNAME=clientname?}?
ping 1.0.0: Asks whether the node answers.
  message?
quit 1.0.0: Closes the connection.
reset 6.2.0: Puts the connection back into its first state.
select 1.0.0: Changes the database of the connection.
  index:integer
acl 6.0.0: Commands about users and their rights.
acl|cat 6.0.0: Lists the categories of commands, or the commands of one.
  categoryname?
acl|deluser 6.0.0: Deletes users and closes their connections.
  username*
acl|dryrun 7.0.0: Says whether a user might run a command, without running it.
  username command arg?*
acl|genpass 6.0.0: Makes a password that cannot be guessed.
  bits:integer?
acl|getuser 6.0.0: Shows the rules of a user.
  username
acl|help 6.0.0: Explains the subcommands.
acl|list 6.0.0: Shows all users as lines of an ACL file.
acl|load 6.0.0: Reads the ACL file again.
acl|log 6.0.0: Shows what was refused lately because of rights.
  operation(count:integer|reset!)?
acl|save 6.0.0: Writes the users to the ACL file.
acl|setuser 6.0.0: Creates a user or changes the rules of one.
  username rule?*
acl|users 6.0.0: Lists the names of all users.
acl|whoami 6.0.0: Tells the user of the connection.
bgrewriteaof 1.0.0: Begins to write the append-only file anew.
bgsave 1.0.0: Begins to save the data to disk.
  schedule!@3.2.2?
black-box 7.0.0: Hands out the journal of this node, in which it says what happened to it.
  how(list!|read!) segment? offset:integer? bytes:integer?
command 2.8.13: Tells about all commands.
command|count 2.8.13: Counts the commands.
command|docs 7.0.0: Describes commands for people.
  command-name?*
command|getkeys 2.8.13: Finds the keys in a complete command.
command|getkeysandflags 7.0.0: Finds the keys in a complete command, and what it does with each.
command|help 5.0.0: Explains the subcommands.
command|info 2.8.13: Tells about some commands, or all.
  command-name?*
command|list 7.0.0: Lists the names of commands.
  FILTERBY=filterby(MODULE=module-name|ACLCAT=category|PATTERN=pattern:pattern)?
config 2.0.0: Commands about the directives of the node.
config|get 2.0.0: Shows the values of directives.
  parameter{parameter}*
config|help 5.0.0: Explains the subcommands.
config|resetstat 2.0.0: Sets the counters of INFO back to zero.
config|rewrite 2.8.0: Keeps the changed directives for the next start.
config|set 2.0.0: Changes directives while the node runs.
  parameter_value{parameter value}*
dbsize 1.0.0: Counts the keys of the database.
debug 1.0.0!: Commands for tests of the node itself.
failover 6.2.0: Hands the master's role over to a replica without losing a write.
  TO=target{host port:integer force!?}? abort!? TIMEOUT=milliseconds:integer?
fence 7.0.0: Fences the node in a term of strict replication, or makes it the master of that term.
  term:integer leader how(ask!|force!|promote!) replicas:integer? reads? voter?*
flushall 1.0.0: Deletes the keys of all databases.
  async(async!@4.0.0|sync!@6.2.0)?
flushdb 1.0.0: Deletes the keys of the database.
  async(async!@4.0.0|sync!@6.2.0)?
info 1.0.0: Shows numbers about the node.
  section?*
lastsave 1.0.0: Tells when the data were saved last.
latency 2.8.13: Commands about what took long.
latency|doctor 2.8.13: Says in words what took long.
latency|graph 2.8.13: Draws the samples of an event.
  event
latency|help 2.8.13: Explains the subcommands.
latency|histogram 7.0.0: Tells how long the calls of commands took.
  command?*
latency|history 2.8.13: Lists the samples of an event.
  event
latency|latest 2.8.13: Shows the last sample of each event.
latency|reset 2.8.13: Forgets the samples of events.
  event?*
ledger 7.0.0: Hands out the ledgers of this node, in which lost writes are kept.
  how(list!|read!) name? offset:integer? bytes:integer?
lolwut 5.0.0: Shows something pretty and the version.
  VERSION=version:integer?
memory 4.0.0: Commands about memory in use.
memory|doctor 4.0.0: Says in words what is wrong about memory.
memory|help 4.0.0: Explains the subcommands.
memory|malloc-stats 4.0.0: Shows what the allocator knows.
memory|purge 4.0.0: Gives free memory back.
memory|stats 4.0.0: Tells what the memory is used for.
memory|usage 4.0.0: Tells what a key takes in memory.
  key:key#0 SAMPLES=count:integer?
monitor 1.0.0: Shows every command as it is executed.
psync 2.8.0: Begins to replicate from an offset, as replicas ask for it.
  replicationid offset:integer
replconf 3.0.0!: Tells the master about a replica.
replicaof 5.0.0: Makes the node a replica of another one, or a master.
  args(host-port{host port:integer}|no-one{no! one!})
restore-asking 3.0.0!: Restores a value that moves between nodes of a cluster.
  key:key#0 ttl:integer serialized-value replace!@3.0.0? absttl!@5.0.0?
  IDLETIME=seconds:integer@5.0.0? FREQ=frequency:integer@5.0.0?
role 2.8.12: Tells the role of the node in replication.
save 1.0.0: Saves the data to disk before it answers.
shutdown 1.0.0: Saves the data and ends the process.
  nosave_save(nosave!|save!)? now!@7.0.0? force!@7.0.0? abort!@7.0.0?
slaveof 1.0.0~5.0.0: Makes the node a replica of another one, or a master.
  args(host-port{host port:integer}|no-one{no! one!})
commandlog 8.1.0: Commands about the commands that took longest, or were largest.
commandlog|get 8.1.0: Shows the slow commands, or those with large requests or replies.
  count:integer type:string
commandlog|help 8.1.0: Explains the subcommands.
commandlog|len 8.1.0: Counts the commands that are kept.
  type:string
commandlog|reset 8.1.0: Forgets the commands that are kept.
  type:string
slowlog 2.2.12: Commands about the commands that took longest.
slowlog|get 2.2.12: Shows the slow commands.
  count:integer?
slowlog|help 6.2.0: Explains the subcommands.
slowlog|len 2.2.12: Counts the slow commands that are kept.
slowlog|reset 2.2.12: Forgets the slow commands.
swapdb 4.0.0: Exchanges two databases.
  index1:integer index2:integer
sync 1.0.0: Begins to replicate with a full copy.
time 2.6.0: Tells the time of the node.
`
