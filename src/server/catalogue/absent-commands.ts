/**
 * Commands of Redis 7.0 that this node does not have, with their ACL categories. Rules may name
 * them, so that users written for Redis can be loaded and shown again unchanged; these rules allow
 * nothing here.
 */
import type { AclCommand } from '../../acl/catalogue.ts'

/** Each line of names begins with the categories of its commands. */
const TABLE = `
  admin slow dangerous: cluster|addslots cluster|addslotsrange cluster|bumpepoch
    cluster|count-failure-reports cluster|delslots cluster|delslotsrange cluster|failover
    cluster|flushslots cluster|forget cluster|meet cluster|replicas cluster|replicate
    cluster|reset cluster|saveconfig cluster|set-config-epoch cluster|setslot cluster|slaves
    module|list module|load module|loadex module|unload
  slow: cluster cluster|countkeysinslot cluster|getkeysinslot cluster|help cluster|info
    cluster|keyslot cluster|links cluster|myid cluster|nodes cluster|shards cluster|slots module
    module|help
`

/** By full name. */
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
