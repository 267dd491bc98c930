/**
 * What COMMAND INFO tells proxies and clients of clusters about a command beyond its flags: whether its
 * reply depends on more than the data, to which nodes a request goes, and how their replies become one.
 */

/** In each line the tips, and the commands that have them. */
const TABLE = `
  nondeterministic_output: client|info client|list dump hrandfield hscan lastsave object|encoding
    object|freq object|idletime object|refcount pttl spop srandmember sscan time ttl xadd xautoclaim
    xclaim xinfo|consumers xpending xtrim zrandmember zscan
  nondeterministic_output_order: command command|docs command|info command|list function|list
    hgetall hkeys hvals sdiff sinter smembers sunion
  request_policy:all_nodes response_policy:all_succeeded: config|set latency|reset slowlog|reset
  request_policy:all_shards response_policy:agg_sum: dbsize
  request_policy:multi_shard response_policy:agg_sum: del exists touch unlink
  request_policy:all_shards response_policy:all_succeeded: flushall flushdb function|delete
    function|flush function|load function|restore memory|purge ping
  request_policy:all_shards response_policy:one_succeeded: function|kill
  nondeterministic_output request_policy:all_shards response_policy:special: function|stats info
    memory|doctor memory|malloc-stats memory|stats
  request_policy:all_shards nondeterministic_output_order: keys
  nondeterministic_output request_policy:all_nodes response_policy:special: latency|doctor
    latency|graph latency|histogram latency|history latency|latest
  request_policy:multi_shard: mget
  request_policy:multi_shard response_policy:all_succeeded: mset
  request_policy:multi_shard response_policy:agg_min: msetnx
  request_policy:all_shards nondeterministic_output: randomkey
  nondeterministic_output request_policy:special: scan
  request_policy:all_nodes nondeterministic_output: slowlog|get
  request_policy:all_nodes response_policy:agg_sum nondeterministic_output: slowlog|len
  request_policy:all_shards response_policy:agg_min: wait
`

const TIPS = new Map<string, readonly string[]>(
  TABLE.trim()
    .split(/\n {2}(?! )/)
    .flatMap(tipsOfLine),
)

/** By full name, `get` or `config|get`. */
export function commandTips(fullName: string): readonly string[] {
  return TIPS.get(fullName) ?? []
}

function tipsOfLine(line: string): [name: string, tips: readonly string[]][] {
  const [tips = '', names = ''] = line.split(/:\s+/)
  return names.split(/\s+/).map((name) => [name, tips.trim().split(' ')])
}
