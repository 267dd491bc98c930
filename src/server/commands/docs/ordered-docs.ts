/** What COMMAND DOCS says of the commands on sorted sets, streams; see docs-text.ts for the notation. */
export const ORDERED_DOCS = `
bzmpop 7.0.0: Takes members from the first sorted set that has some; waits for one.
  timeout:double numkeys:integer key:key#0* where(min!|max!) COUNT=count:integer?
bzpopmax 5.0.0: Takes the member with the highest score; waits for one.
  key:key#0* timeout:double
bzpopmin 5.0.0: Takes the member with the lowest score; waits for one.
  key:key#0* timeout:double
zadd 1.2.0: Adds members to a sorted set or changes their scores.
  key:key#0 condition(nx!|xx!)@3.0.2? comparison(gt!|lt!)@6.2.0? change!CH@3.0.2?
  increment!INCR@3.0.2? score_member{score:double member}*
zcard 1.2.0: Counts the members of a sorted set.
  key:key#0
zcount 2.0.0: Counts the members between two scores.
  key:key#0 min:double max:double
zdiff 6.2.0: Reads the members of a sorted set that others lack.
  numkeys:integer key:key#0* withscores!?
zdiffstore 6.2.0: Stores the members of a sorted set that others lack.
  destination:key#0 numkeys:integer key:key#1*
zincrby 1.2.0: Adds a number to the score of a member.
  key:key#0 increment:integer member
zinter 6.2.0: Reads the members that all sorted sets have.
  numkeys:integer key:key#0* WEIGHTS=weight:integer?* AGGREGATE=aggregate(sum!|min!|max!)?
  withscores!?
zintercard 7.0.0: Counts the members that all sorted sets have.
  numkeys:integer key:key#0* LIMIT=limit:integer?
zinterstore 2.0.0: Stores the members that all sorted sets have.
  destination:key#0 numkeys:integer key:key#1* WEIGHTS=weight:integer?*
  AGGREGATE=aggregate(sum!|min!|max!)?
zlexcount 2.8.9: Counts the members between two names.
  key:key#0 min max
zmpop 7.0.0: Takes members from the first sorted set that has some.
  numkeys:integer key:key#0* where(min!|max!) COUNT=count:integer?
zmscore 6.2.0: Reads the scores of members.
  key:key#0 member*
zpopmax 5.0.0: Takes the members with the highest scores.
  key:key#0 count:integer?
zpopmin 5.0.0: Takes the members with the lowest scores.
  key:key#0 count:integer?
zrandmember 6.2.0: Reads random members of a sorted set.
  key:key#0 options{count:integer withscores!?}?
zrange 1.2.0: Reads the members between two ranks, scores or names.
  key:key#0 start stop sortby(byscore!|bylex!)@6.2.0? rev!@6.2.0?
  LIMIT=offset_count{offset:integer count:integer}@6.2.0? withscores!?
zrangebylex 2.8.9~6.2.0: Reads the members between two names.
  key:key#0 min max LIMIT=offset_count{offset:integer count:integer}?
zrangebyscore 1.0.5~6.2.0: Reads the members between two scores.
  key:key#0 min:double max:double withscores!@2.0.0? LIMIT=offset_count{offset:integer
  count:integer}?
zrangestore 6.2.0: Stores the members between two ranks, scores or names.
  dst:key#0 src:key#1 min max sortby(byscore!|bylex!)? rev!? LIMIT=offset_count{offset:integer
  count:integer}?
zrank 2.0.0: Tells the rank of a member, from the lowest score.
  key:key#0 member withscore!@7.2.0?
zrem 1.2.0: Removes members from a sorted set.
  key:key#0 member*
zremrangebylex 2.8.9: Removes the members between two names.
  key:key#0 min max
zremrangebyrank 2.0.0: Removes the members between two ranks.
  key:key#0 start:integer stop:integer
zremrangebyscore 1.2.0: Removes the members between two scores.
  key:key#0 min:double max:double
zrevrange 1.2.0~6.2.0: Reads the members between two ranks, from the highest score.
  key:key#0 start:integer stop:integer withscores!?
zrevrangebylex 2.8.9~6.2.0: Reads the members between two names, backwards.
  key:key#0 max min LIMIT=offset_count{offset:integer count:integer}?
zrevrangebyscore 2.2.0~6.2.0: Reads the members between two scores, backwards.
  key:key#0 max:double min:double withscores!? LIMIT=offset_count{offset:integer count:integer}?
zrevrank 2.0.0: Tells the rank of a member, from the highest score.
  key:key#0 member withscore!@7.2.0?
zscan 2.8.0: Walks through the members of a sorted set.
  key:key#0 cursor:integer MATCH=pattern:pattern? COUNT=count:integer?
zscore 1.2.0: Reads the score of a member.
  key:key#0 member
zunion 6.2.0: Reads the members of several sorted sets together.
  numkeys:integer key:key#0* WEIGHTS=weight:integer?* AGGREGATE=aggregate(sum!|min!|max!)?
  withscores!?
zunionstore 2.0.0: Stores the members of several sorted sets together.
  destination:key#0 numkeys:integer key:key#1* WEIGHTS=weight:integer?*
  AGGREGATE=aggregate(sum!|min!|max!)?
xack 5.0.0: Acknowledges entries of a group.
  key:key#0 group id*
xadd 5.0.0: Adds an entry to a stream.
  key:key#0 nomkstream!@6.2.0? trim{strategy(maxlen!|minid!@6.2.0)
  operator(equal!'='|approximately!'~')? threshold LIMIT=count:integer@6.2.0?}?
  id_or_auto(auto_id!'*'|id) field_value{field value}*
xautoclaim 6.2.0: Takes over the entries that have been pending for long.
  key:key#0 group consumer min-idle-time start COUNT=count:integer? justid!?
xclaim 5.0.0: Takes over pending entries of another consumer.
  key:key#0 group consumer min-idle-time id* IDLE=ms:integer?
  TIME=unix-time-milliseconds:unix-time? RETRYCOUNT=count:integer? force!? justid!? LASTID=id?
xdel 5.0.0: Deletes entries of a stream.
  key:key#0 id*
xgroup 5.0.0: Commands about groups of consumers.
xgroup|create 5.0.0: Creates a group.
  key:key#0 groupname id(id|new_id!'$') mkstream!? ENTRIESREAD=entries_read:integer?
xgroup|createconsumer 6.2.0: Creates a consumer of a group.
  key:key#0 groupname consumername
xgroup|delconsumer 5.0.0: Deletes a consumer of a group.
  key:key#0 groupname consumername
xgroup|destroy 5.0.0: Deletes a group.
  key:key#0 groupname
xgroup|help 5.0.0: Explains the subcommands.
xgroup|setid 5.0.0: Sets how far a group has read.
  key:key#0 groupname id(id|new_id!'$') ENTRIESREAD=entries_read:integer?
xinfo 5.0.0: Commands that describe streams.
xinfo|consumers 5.0.0: Describes the consumers of a group.
  key:key#0 groupname
xinfo|groups 5.0.0: Describes the groups of a stream.
  key:key#0
xinfo|help 5.0.0: Explains the subcommands.
xinfo|stream 5.0.0: Describes a stream.
  key:key#0 FULL=full{COUNT=count:integer?}?
xlen 5.0.0: Counts the entries of a stream.
  key:key#0
xpending 5.0.0: Lists what a group has read and not acknowledged.
  key:key#0 group filters{IDLE=min-idle-time:integer@6.2.0? start end count:integer consumer?}?
xrange 5.0.0: Reads the entries between two ids.
  key:key#0 start end COUNT=count:integer?
xread 5.0.0: Reads new entries of streams; may wait for them.
  COUNT=count:integer? BLOCK=milliseconds:integer? STREAMS=streams{key:key#0* id*}
xreadgroup 5.0.0: Reads entries in the name of a group; may wait for them.
  GROUP=group_consumer{group consumer} COUNT=count:integer? BLOCK=milliseconds:integer? noack!?
  STREAMS=streams{key:key#0* id*}
xrevrange 5.0.0: Reads the entries between two ids, backwards.
  key:key#0 end start COUNT=count:integer?
xsetid 5.0.0: Sets the last id of a stream.
  key:key#0 last-id ENTRIESADDED=entries_added:integer@7.0.0?
  MAXDELETEDID=max_deleted_entry_id@7.0.0?
xtrim 5.0.0: Removes the oldest entries of a stream.
  key:key#0 trim{strategy(maxlen!|minid!@6.2.0) operator(equal!'='|approximately!'~')? threshold
  LIMIT=count:integer@6.2.0?}
`
