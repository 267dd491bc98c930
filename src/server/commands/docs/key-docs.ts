/** What COMMAND DOCS says of the commands on keys, transactions, scripts, channels; see docs-text.ts for the notation. */
export const KEY_DOCS = `
copy 6.2.0: Copies a key to another one.
  source:key#0 destination:key#1 DB=destination-db:integer? replace!?
del 1.0.0: Deletes keys.
  key:key#0*
dump 2.6.0: Reads a value as bytes that RESTORE understands.
  key:key#0
exists 1.0.0: Counts which of the keys exist.
  key:key#0*
expire 1.0.0: Sets a time to live in seconds.
  key:key#0 seconds:integer condition(nx!|xx!|gt!|lt!)@7.0.0?
expireat 1.2.0: Sets the second at which a key expires.
  key:key#0 unix-time-seconds:unix-time condition(nx!|xx!|gt!|lt!)@7.0.0?
expiretime 7.0.0: Tells the second at which a key expires.
  key:key#0
keys 1.0.0: Lists the keys that match a pattern.
  pattern:pattern
migrate 2.6.0: Moves keys to another node.
  host port:integer key_or_empty_string(key:key#0|empty_string!'') destination-db:integer
  timeout:integer copy!@3.0.0? replace!@3.0.0?
  authentication(AUTH=password@4.0.7?|AUTH2=username_password{username password}@6.0.0?)?
  KEYS=key:key#1@3.0.6?*
move 1.0.0: Moves a key to another database.
  key:key#0 db:integer
object 2.2.3: Commands about how values are kept.
object|encoding 2.2.3: Tells the form of a value in memory.
  key:key#0
object|freq 4.0.0: Tells how often a key is used.
  key:key#0
object|help 6.2.0: Explains the subcommands.
object|idletime 2.2.3: Tells how long a key has not been used.
  key:key#0
object|refcount 2.2.3: Tells how many references a value has.
  key:key#0
persist 2.2.0: Removes the time to live of a key.
  key:key#0
pexpire 2.6.0: Sets a time to live in milliseconds.
  key:key#0 milliseconds:integer condition(nx!|xx!|gt!|lt!)@7.0.0?
pexpireat 2.6.0: Sets the millisecond at which a key expires.
  key:key#0 unix-time-milliseconds:unix-time condition(nx!|xx!|gt!|lt!)@7.0.0?
pexpiretime 7.0.0: Tells the millisecond at which a key expires.
  key:key#0
pttl 2.6.0: Tells how many milliseconds a key has left.
  key:key#0
randomkey 1.0.0: Names a random key.
rename 1.0.0: Renames a key, whatever had the new name.
  key:key#0 newkey:key#1
renamenx 1.0.0: Renames a key if nothing has the new name.
  key:key#0 newkey:key#1
restore 2.6.0: Makes a key of bytes from DUMP.
  key:key#0 ttl:integer serialized-value replace!@3.0.0? absttl!@5.0.0?
  IDLETIME=seconds:integer@5.0.0? FREQ=frequency:integer@5.0.0?
scan 2.8.0: Walks through the keys of the database.
  cursor:integer MATCH=pattern:pattern? COUNT=count:integer? TYPE=type@6.0.0?
sort 1.0.0: Reads or stores elements in order.
  key:key#0 BY=pattern:pattern#1? LIMIT=offset_count{offset:integer count:integer}?
  GET=pattern:pattern#1?+* order(asc!|desc!)? sorting!ALPHA? STORE=destination:key#2?
sort_ro 7.0.0: Reads elements in order.
  key:key#0 BY=pattern:pattern#1? LIMIT=offset_count{offset:integer count:integer}?
  GET=pattern:pattern#1?+* order(asc!|desc!)? sorting!ALPHA?
touch 3.2.1: Counts which of the keys exist, and uses them.
  key:key#0*
ttl 1.0.0: Tells how many seconds a key has left.
  key:key#0
type 1.0.0: Tells the type of a value.
  key:key#0
unlink 4.0.0: Deletes keys; their memory may be freed later.
  key:key#0*
wait 3.0.0: Waits until replicas have what was written.
  numreplicas:integer timeout:integer
waitaof 7.2.0: Waits until what was written is on disk, here or on replicas.
  numlocal:integer numreplicas:integer timeout:integer
discard 2.0.0: Ends a transaction without running it.
exec 1.2.0: Runs the commands of a transaction.
multi 1.2.0: Begins a transaction.
unwatch 2.2.0: Forgets the watched keys.
watch 2.2.0: Lets the next transaction run only if keys stay as they are.
  key:key#0*
eval 2.6.0: Runs a script.
  script numkeys:integer key:key#0?* arg?*
eval_ro 7.0.0: Runs a script that only reads.
  script numkeys:integer key:key#0?* arg?*
evalsha 2.6.0: Runs a script that the node knows.
  sha1 numkeys:integer key:key#0?* arg?*
evalsha_ro 7.0.0: Runs a script that the node knows and that only reads.
  sha1 numkeys:integer key:key#0?* arg?*
fcall 7.0.0: Calls a function.
  function numkeys:integer key:key#0?* arg?*
fcall_ro 7.0.0: Calls a function that only reads.
  function numkeys:integer key:key#0?* arg?*
function 7.0.0: Commands about functions.
function|delete 7.0.0: Deletes a library of functions.
  library-name
function|dump 7.0.0: Reads all libraries as bytes.
function|flush 7.0.0: Deletes all libraries.
  async(async!|sync!)?
function|help 7.0.0: Explains the subcommands.
function|kill 7.0.0: Ends the function that runs.
function|list 7.0.0: Describes the libraries.
  LIBRARYNAME=library-name-pattern? withcode!?
function|load 7.0.0: Adds a library.
  replace!? function-code
function|restore 7.0.0: Adds libraries from bytes.
  serialized-value policy(flush!|append!|replace!)?
function|stats 7.0.0: Describes the function that runs, and the engines.
script 2.6.0: Commands about scripts.
script|debug 3.2.0: Sets how scripts are debugged.
  mode(yes!|sync!|no!)
script|exists 2.6.0: Tells which scripts the node knows.
  sha1*
script|flush 2.6.0: Forgets all scripts.
  async(async!|sync!)@6.2.0?
script|help 5.0.0: Explains the subcommands.
script|kill 2.6.0: Ends the script that runs.
script|load 2.6.0: Makes a script known without running it.
  script
script|show 8.0.0: Tells the source of a script.
  sha1
psubscribe 2.0.0: Listens to the channels that match patterns.
  pattern{pattern:pattern}*
publish 2.0.0: Sends a message to a channel.
  channel message
pubsub 2.8.0: Commands about channels and their listeners.
pubsub|channels 2.8.0: Lists the channels with listeners.
  pattern:pattern?
pubsub|help 6.2.0: Explains the subcommands.
pubsub|numpat 2.8.0: Counts the patterns with listeners.
pubsub|numsub 2.8.0: Counts the listeners of channels.
  channel?*
pubsub|shardchannels 7.0.0: Lists the shard channels with listeners.
  pattern:pattern?
pubsub|shardnumsub 7.0.0: Counts the listeners of shard channels.
  shardchannel?*
punsubscribe 2.0.0: Stops listening to patterns.
  pattern:pattern?*
spublish 7.0.0: Sends a message to a shard channel.
  shardchannel message
ssubscribe 7.0.0: Listens to shard channels.
  shardchannel*
subscribe 2.0.0: Listens to channels.
  channel*
sunsubscribe 7.0.0: Stops listening to shard channels.
  shardchannel?*
unsubscribe 2.0.0: Stops listening to channels.
  channel?*
`
