/** What COMMAND DOCS says of the commands on strings, their bits, HyperLogLogs; see docs-text.ts for the notation. */
export const STRING_DOCS = `
append 2.0.0: Adds bytes to the end of a string.
  key:key#0 value
decr 1.0.0: Subtracts one from a number.
  key:key#0
decrby 1.0.0: Subtracts a number from a number.
  key:key#0 decrement:integer
delex 8.4.0: Deletes a key if its string equals a value, or does not.
  key:key#0 condition(IFEQ=value|IFNE=value)?
delifeq 9.0.0: Deletes a key if its string equals a value.
  key:key#0 value
get 1.0.0: Reads a string.
  key:key#0
getdel 6.2.0: Reads a string and deletes the key.
  key:key#0
getex 6.2.0: Reads a string and changes its time to live.
  key:key#0
  expiration(EX=seconds:integer|PX=milliseconds:integer|EXAT=unix-time-seconds:unix-time|PXAT=unix-time-milliseconds:unix-time|persist!)?
getrange 2.4.0: Reads a part of a string.
  key:key#0 start:integer end:integer
getset 1.0.0~6.2.0: Sets a string and answers with the old one.
  key:key#0 value
incr 1.0.0: Adds one to a number.
  key:key#0
incrby 1.0.0: Adds a number to a number.
  key:key#0 increment:integer
incrbyfloat 2.6.0: Adds a number with a fraction to a number.
  key:key#0 increment:double
lcs 7.0.0: Finds the longest sequence that two strings have in common.
  key1:key#0 key2:key#0 len!? idx!? MINMATCHLEN=len:integer? withmatchlen!?
mget 1.0.0: Reads several strings.
  key:key#0*
mset 1.0.1: Sets several strings.
  key_value{key:key#0 value}*
msetex 9.1.0: Sets several strings, with one condition and one time to live for all.
  numkeys:integer data{key:key#0 value}* condition(nx!|xx!)?
  expiration(EX=seconds:integer|PX=milliseconds:integer|EXAT=unix-time-seconds:unix-time|PXAT=unix-time-milliseconds:unix-time|keepttl!)?
msetnx 1.0.1: Sets several strings if none of the keys exists.
  key_value{key:key#0 value}*
psetex 2.6.0: Sets a string and its time to live in milliseconds.
  key:key#0 milliseconds:integer value
set 1.0.0: Sets a string, whatever the key held before.
  key:key#0 value condition(nx!|xx!)@2.6.12? get!@6.2.0?
  expiration(EX=seconds:integer@2.6.12|PX=milliseconds:integer@2.6.12|EXAT=unix-time-seconds:unix-time@6.2.0|PXAT=unix-time-milliseconds:unix-time@6.2.0|keepttl!@6.0.0)?
setex 2.0.0: Sets a string and its time to live in seconds.
  key:key#0 seconds:integer value
setnx 1.0.0: Sets a string if the key does not exist.
  key:key#0 value
setrange 2.2.0: Overwrites a part of a string.
  key:key#0 offset:integer value
strlen 2.2.0: Tells the length of a string.
  key:key#0
substr 1.0.0~2.0.0: Reads a part of a string.
  key:key#0 start:integer end:integer
bitcount 2.6.0: Counts the bits of a string that are set.
  key:key#0 index{start:integer end:integer index_unit(byte!|bit!)@7.0.0?}?
bitfield 3.2.0: Reads and writes integers of any width within a string.
  key:key#0 operation(GET=encoding_offset{encoding
  offset:integer}|write{OVERFLOW=wrap_sat_fail(wrap!|sat!|fail!)?
  write_operation(SET=encoding_offset_value{encoding offset:integer
  value:integer}|INCRBY=encoding_offset_increment{encoding offset:integer
  increment:integer})})?*
bitfield_ro 6.0.0: Reads integers of any width within a string.
  key:key#0 GET=encoding_offset{encoding offset:integer}?+*
bitop 2.6.0: Combines strings bit by bit.
  operation destkey:key#0 key:key#1*
bitpos 2.8.7: Finds the first bit of a value in a string.
  key:key#0 bit:integer index{start:integer end_index{end:integer
  index_unit(byte!|bit!)@7.0.0?}?}?
getbit 2.2.0: Reads a bit of a string.
  key:key#0 offset:integer
setbit 2.2.0: Sets or clears a bit of a string.
  key:key#0 offset:integer value:integer
pfadd 2.8.9: Adds elements to a HyperLogLog.
  key:key#0 element?*
pfcount 2.8.9: Estimates how many different elements were added.
  key:key#0*
pfdebug 2.8.9!: Shows the inside of a HyperLogLog.
  subcommand key:key#0
pfmerge 2.8.9: Merges HyperLogLogs into one.
  destkey:key#0 sourcekey:key#1*
pfselftest 2.8.9!: Tests the estimates.
`
