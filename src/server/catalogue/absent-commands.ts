/**
 * Commands of Redis 7.0 that this node does not have, with their ACL categories. Rules may name them, so
 * that users written for Redis can be taken over and given back as they are; they allow nothing here.
 */
import type { AclCommand } from '../../acl/catalogue.ts'

/** Each line of names begins with the categories they are in. */
const TABLE = `
  admin slow dangerous: cluster|addslots cluster|addslotsrange cluster|bumpepoch
    cluster|count-failure-reports cluster|delslots cluster|delslotsrange cluster|failover
    cluster|flushslots cluster|forget cluster|meet cluster|replicas cluster|replicate
    cluster|reset cluster|saveconfig cluster|set-config-epoch cluster|setslot cluster|slaves
    module|list module|load module|loadex module|unload monitor
  keyspace write slow dangerous: migrate
  read fast: lolwut
  slow connection: client|caching client|getredir client|tracking client|trackinginfo
    command|getkeysandflags
  slow scripting: eval eval_ro evalsha evalsha_ro fcall fcall_ro script|debug script|exists
    script|flush script|help script|kill script|load
  slow: cluster cluster|countkeysinslot cluster|getkeysinslot cluster|help cluster|info
    cluster|keyslot cluster|links cluster|myid cluster|nodes cluster|shards cluster|slots module
    module|help script
`

/** By full name. Those that have come to exist since are in both tables, and the other one counts. */
export const ABSENT_COMMANDS: readonly AclCommand[] = TABLE.trim()
  .split(/\n {2}(?! )/)
  .flatMap((group) => {
    const [categories = '', names = ''] = group.split(':')
    const named = categories
      .trim()
      .split(' ')
      .map((category) => `@${category}`)
    return names
      .trim()
      .split(/\s+/)
      .map((name) => ({ name, categories: named, subcommands: [], isAbsent: true }))
  })
