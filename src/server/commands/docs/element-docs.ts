/** What COMMAND DOCS says of the commands on lists, sets, hashes, geo; see docs-text.ts for the notation. */
export const ELEMENT_DOCS = `
blmove 6.2.0: Moves an element between lists; waits for one.
  source:key#0 destination:key#1 wherefrom(left!|right!) whereto(left!|right!) timeout:double
blmpop 7.0.0: Takes elements from the first list that has some; waits for one.
  timeout:double numkeys:integer key:key#0* where(left!|right!) COUNT=count:integer?
blpop 2.0.0: Takes the first element of a list; waits for one.
  key:key#0* timeout:double
brpop 2.0.0: Takes the last element of a list; waits for one.
  key:key#0* timeout:double
brpoplpush 2.2.0~6.2.0: Moves the last element of a list to the front of another; waits for one.
  source:key#0 destination:key#1 timeout:double
lindex 1.0.0: Reads an element of a list by its index.
  key:key#0 index:integer
linsert 2.2.0: Adds an element before or after another one.
  key:key#0 where(before!|after!) pivot element
llen 1.0.0: Counts the elements of a list.
  key:key#0
lmove 6.2.0: Moves an element between lists.
  source:key#0 destination:key#1 wherefrom(left!|right!) whereto(left!|right!)
lmpop 7.0.0: Takes elements from the first list that has some.
  numkeys:integer key:key#0* where(left!|right!) COUNT=count:integer?
lpop 1.0.0: Takes elements from the front of a list.
  key:key#0 count:integer@6.2.0?
lpos 6.0.6: Finds where an element is in a list.
  key:key#0 element RANK=rank:integer? COUNT=num-matches:integer? MAXLEN=len:integer?
lpush 1.0.0: Adds elements to the front of a list.
  key:key#0 element*
lpushx 2.2.0: Adds elements to the front of a list that exists.
  key:key#0 element*
lrange 1.0.0: Reads a part of a list.
  key:key#0 start:integer stop:integer
lrem 1.0.0: Removes elements of a value from a list.
  key:key#0 count:integer element
lset 1.0.0: Replaces an element of a list.
  key:key#0 index:integer element
ltrim 1.0.0: Keeps a part of a list and removes the rest.
  key:key#0 start:integer stop:integer
rpop 1.0.0: Takes elements from the end of a list.
  key:key#0 count:integer@6.2.0?
rpoplpush 1.2.0~6.2.0: Moves the last element of a list to the front of another.
  source:key#0 destination:key#1
rpush 1.0.0: Adds elements to the end of a list.
  key:key#0 element*
rpushx 2.2.0: Adds elements to the end of a list that exists.
  key:key#0 element*
sadd 1.0.0: Adds members to a set.
  key:key#0 member*
scard 1.0.0: Counts the members of a set.
  key:key#0
sdiff 1.0.0: Reads the members of a set that others lack.
  key:key#0*
sdiffstore 1.0.0: Stores the members of a set that others lack.
  destination:key#0 key:key#1*
sinter 1.0.0: Reads the members that all sets have.
  key:key#0*
sintercard 7.0.0: Counts the members that all sets have.
  numkeys:integer key:key#0* LIMIT=limit:integer?
sinterstore 1.0.0: Stores the members that all sets have.
  destination:key#0 key:key#1*
sismember 1.0.0: Tells whether a set has a member.
  key:key#0 member
smembers 1.0.0: Reads all members of a set.
  key:key#0
smismember 6.2.0: Tells which members a set has.
  key:key#0 member*
smove 1.0.0: Moves a member between sets.
  source:key#0 destination:key#1 member
spop 1.0.0: Takes random members from a set.
  key:key#0 count:integer@3.2.0?
srandmember 1.0.0: Reads random members of a set.
  key:key#0 count:integer@2.6.0?
srem 1.0.0: Removes members from a set.
  key:key#0 member*
sscan 2.8.0: Walks through the members of a set.
  key:key#0 cursor:integer MATCH=pattern:pattern? COUNT=count:integer?
sunion 1.0.0: Reads the members of several sets together.
  key:key#0*
sunionstore 1.0.0: Stores the members of several sets together.
  destination:key#0 key:key#1*
hdel 2.0.0: Removes fields from a hash.
  key:key#0 field*
hexists 2.0.0: Tells whether a hash has a field.
  key:key#0 field
hexpire 7.4.0: Gives fields of a hash a time to live, in seconds.
  key:key#0 seconds:integer condition(nx!|xx!|gt!|lt!)? fields{FIELDS=numfields:integer field*}
hexpireat 7.4.0: Says when fields of a hash expire, in Unix seconds.
  key:key#0 unix-time-seconds:unix-time condition(nx!|xx!|gt!|lt!)? fields{FIELDS=numfields:integer field*}
hexpiretime 7.4.0: Tells when fields of a hash expire, in Unix seconds.
  key:key#0 fields{FIELDS=numfields:integer field*}
hpexpire 7.4.0: Gives fields of a hash a time to live, in milliseconds.
  key:key#0 milliseconds:integer condition(nx!|xx!|gt!|lt!)? fields{FIELDS=numfields:integer field*}
hpexpireat 7.4.0: Says when fields of a hash expire, in Unix milliseconds.
  key:key#0 unix-time-milliseconds:unix-time condition(nx!|xx!|gt!|lt!)? fields{FIELDS=numfields:integer field*}
hpexpiretime 7.4.0: Tells when fields of a hash expire, in Unix milliseconds.
  key:key#0 fields{FIELDS=numfields:integer field*}
hpersist 7.4.0: Takes the expiry of fields of a hash away.
  key:key#0 fields{FIELDS=numfields:integer field*}
hpttl 7.4.0: Tells how long fields of a hash still live, in milliseconds.
  key:key#0 fields{FIELDS=numfields:integer field*}
httl 7.4.0: Tells how long fields of a hash still live, in seconds.
  key:key#0 fields{FIELDS=numfields:integer field*}
hgetex 8.0.0: Reads fields of a hash and changes their expiry.
  key:key#0 expiration(EX=seconds:integer|PX=milliseconds:integer|EXAT=unix-time-seconds:unix-time|PXAT=unix-time-milliseconds:unix-time|persist!)? fields{FIELDS=numfields:integer field*}
hsetex 8.0.0: Sets fields of a hash, and their expiry.
  key:key#0 condition(fnx!|fxx!)? expiration(EX=seconds:integer|PX=milliseconds:integer|EXAT=unix-time-seconds:unix-time|PXAT=unix-time-milliseconds:unix-time|keepttl!)?
  fields{FIELDS=numfields:integer data{field value}*}
hget 2.0.0: Reads a field of a hash.
  key:key#0 field
hgetall 2.0.0: Reads all fields of a hash and their values.
  key:key#0
hgetdel 8.0.0: Reads fields of a hash and removes them.
  key:key#0 fields{FIELDS=numfields:integer field*}
hincrby 2.0.0: Adds a number to a field.
  key:key#0 field increment:integer
hincrbyfloat 2.6.0: Adds a number with a fraction to a field.
  key:key#0 field increment:double
hkeys 2.0.0: Lists the fields of a hash.
  key:key#0
hlen 2.0.0: Counts the fields of a hash.
  key:key#0
hmget 2.0.0: Reads several fields of a hash.
  key:key#0 field*
hmset 2.0.0~4.0.0: Sets several fields of a hash.
  key:key#0 field_value{field value}*
hrandfield 6.2.0: Reads random fields of a hash.
  key:key#0 options{count:integer withvalues!?}?
hscan 2.8.0: Walks through the fields of a hash.
  key:key#0 cursor:integer MATCH=pattern:pattern? COUNT=count:integer? novalues!@7.4.0?
hset 2.0.0: Sets fields of a hash.
  key:key#0 field_value{field value}*
hsetnx 2.0.0: Sets a field that the hash does not have.
  key:key#0 field value
hstrlen 3.2.0: Tells the length of a field's value.
  key:key#0 field
hvals 2.0.0: Lists the values of a hash.
  key:key#0
geoadd 3.2.0: Adds positions to an index.
  key:key#0 condition(nx!|xx!)@6.2.0? change!CH@6.2.0?
  longitude_latitude_member{longitude:double latitude:double member}*
geodist 3.2.0: Tells the distance between two members.
  key:key#0 member1 member2 unit(m!|km!|ft!|mi!)?
geohash 3.2.0: Tells the positions of members as geohashes.
  key:key#0 member*
geopos 3.2.0: Tells the positions of members.
  key:key#0 member*
georadius 3.2.0~6.2.0: Finds or stores the members around a position.
  key:key#0 longitude:double latitude:double radius:double unit(m!|km!|ft!|mi!) withcoord!?
  withdist!? withhash!? count{COUNT=count:integer any!@6.2.0?}? order(asc!|desc!)?
  STORE=key:key#1? STOREDIST=key:key#2?
georadius_ro 3.2.10~6.2.0: Finds the members around a position.
  key:key#0 longitude:double latitude:double radius:double unit(m!|km!|ft!|mi!) withcoord!?
  withdist!? withhash!? count{COUNT=count:integer any!@6.2.0?}? order(asc!|desc!)?
georadiusbymember 3.2.0~6.2.0: Finds or stores the members around another one.
  key:key#0 member radius:double unit(m!|km!|ft!|mi!) withcoord!? withdist!? withhash!?
  count{COUNT=count:integer any!?}? order(asc!|desc!)? STORE=key:key#1? STOREDIST=key:key#2?
georadiusbymember_ro 3.2.10~6.2.0: Finds the members around another one.
  key:key#0 member radius:double unit(m!|km!|ft!|mi!) withcoord!? withdist!? withhash!?
  count{COUNT=count:integer any!?}? order(asc!|desc!)?
geosearch 6.2.0: Finds the members within a circle or a box.
  key:key#0 from(FROMMEMBER=member|FROMLONLAT=longitude_latitude{longitude:double
  latitude:double}) by(circle{BYRADIUS=radius:double
  unit(m!|km!|ft!|mi!)}|box{BYBOX=width:double height:double unit(m!|km!|ft!|mi!)})
  order(asc!|desc!)? count{COUNT=count:integer any!?}? withcoord!? withdist!? withhash!?
geosearchstore 6.2.0: Stores the members within a circle or a box.
  destination:key#0 source:key#1
  from(FROMMEMBER=member|FROMLONLAT=longitude_latitude{longitude:double latitude:double})
  by(circle{BYRADIUS=radius:double unit(m!|km!|ft!|mi!)}|box{BYBOX=width:double height:double
  unit(m!|km!|ft!|mi!)}) order(asc!|desc!)? count{COUNT=count:integer any!?}? storedist!?
`
