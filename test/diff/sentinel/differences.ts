/**
 * Where our Sentinel answers otherwise than redis-sentinel 7.0.15, on purpose, and why. Each line stands
 * in a script of this folder and must really be answered differently.
 */

const SINCE_72 = 'several parameters, and loglevel, as since Redis 7.2'
const CONTROL = 'control characters could smuggle a line into a file: refused, as in Valkey 9'
const VALKEY = "Valkey's name for it is understood too"
const REFUSED_GROUPS = 'names that break the gossip and ports that lead nowhere are refused'

/** By script and line. */
export const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'client.txt': {
    'CLIENT SETINFO lib-name x': 'client libraries introduce themselves since Redis 7.2',
  },
  'config.txt': {
    'SENTINEL CONFIG GET': SINCE_72,
    'SENTINEL CONFIG SET': SINCE_72,
    'SENTINEL CONFIG FOO': SINCE_72,
    'SENTINEL CONFIG FOO bar': SINCE_72,
    'SENTINEL CONFIG GET *': SINCE_72,
    'SENTINEL CONFIG GET loglevel': SINCE_72,
    'SENTINEL CONFIG GET a b': SINCE_72,
    'SENTINEL CONFIG SET announce-ip': SINCE_72,
    'SENTINEL CONFIG SET announce-ip 1.2.3.4 announce-port 7': SINCE_72,
    'SENTINEL CONFIG SET sentinel-user "a\\nb"': CONTROL,
    'SENTINEL CONFIG SET announce-ip "1,2"': 'no hello could be read that holds it',
  },
  'events.txt': {
    'SENTINEL MONITOR two 127.0.0.1 1 3': 'the answer stands behind the save, the event does not',
  },
  'groups.txt': {
    'SENTINEL MONITOR zero 127.0.0.1 0 1': REFUSED_GROUPS,
    'SENTINEL MONITOR "a b" 127.0.0.1 1 1': REFUSED_GROUPS,
    'SENTINEL MONITOR "a\\nb" 127.0.0.1 1 1': CONTROL,
    'SENTINEL RESET *': REFUSED_GROUPS,
  },
  'renamed.txt': {
    'COMMAND COUNT': 'QUIT is there, as in Redis 7.2',
  },
  'set.txt': {
    'SENTINEL SET mymaster primary-reboot-down-after-period 60000': VALKEY,
    'SENTINEL SET mymaster auth-pass "a\\nb"': CONTROL,
  },
  'settled.txt': {
    'SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 6379 -1 *':
      'a negative epoch would be adopted as a huge one, and told on',
    'SENTINEL PRIMARIES': VALKEY,
    'SENTINEL PRIMARY mymaster': VALKEY,
    'SENTINEL GET-PRIMARY-ADDR-BY-NAME mymaster': VALKEY,
    'SENTINEL IS-PRIMARY-DOWN-BY-ADDR 127.0.0.1 1 0 *': VALKEY,
  },
}

const PAUSES = 'ours: automatic failover is paused, and the Sentinels agree on it'

/** Commands a redis-sentinel 7.0.15 does not have. */
export const EXTRA_COMMANDS: Readonly<Record<string, string>> = {
  quit: 'clients that say good-bye want the connection closed, as in Redis 7.2',
  'client|setinfo': 'client libraries introduce themselves since Redis 7.2',
  'sentinel|confer': 'ours: asked among Sentinels of our own make',
  'sentinel|epochs': 'ours: what the Sentinels have reached, and lowering it everywhere',
  'sentinel|pause': PAUSES,
  'sentinel|resume': PAUSES,
  'sentinel|share-pause': PAUSES,
  'sentinel|by-hand': PAUSES,
  'sentinel|forget': 'ours: one address that is gone, instead of a RESET that forgets all',
  'sentinel|black-box': 'ours: the record of a Sentinel, for vedette incident',
  'sentinel|last-switch': 'ours: who comes late can learn of the last change of master',
  'sentinel|primaries': VALKEY,
  'sentinel|primary': VALKEY,
  'sentinel|get-primary-addr-by-name': VALKEY,
  'sentinel|is-primary-down-by-addr': VALKEY,
}

/** Commands that COMMAND INFO describes differently. */
export const COMMANDS_DESCRIBED_OTHERWISE: Readonly<Record<string, string>> = {
  'sentinel|config': SINCE_72,
  'sentinel|failover': 'COORDINATED, as in Valkey 9',
}

/** Our headings of HELP, and theirs in the same place; empty where there is none. */
export const HEADINGS_OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SENTINEL: {
    'CONFIG SET <param> <value> [<param> <value> ...]': 'CONFIG SET <param> <value>',
    'CONFIG GET <param> [<param> ...]': 'CONFIG GET <param>',
    'FAILOVER <master-name> [COORDINATED] [TO <host> <port>] [DRYRUN]': 'FAILOVER <master-name>',
    'BY-HAND <master-name> <epoch> <runid>': '',
    'FORGET <master-name> <ip> <port> [CHECK | LOCAL]': '',
    'PAUSE <master-name> <seconds> [reason]': '',
    'RESUME <master-name>': '',
    'SHARE-PAUSE <master-name> <number> <kind> <runid> <left-ms> <sure> <by> <reason>': '',
    'CONFER <ip> <port> <epoch> <runid>': '',
    'LAST-SWITCH <master-name>': '',
    'BLACK-BOX LIST | READ <segment> <offset> [<bytes>]': '',
    'EPOCHS [FREEZE <token> | LOWER <token> <epoch> <runid>... | RELEASE <token> | CANCEL <token>]':
      '',
  },
  CLIENT: { 'SETINFO <LIB-NAME|LIB-VER> <value>': '' },
}

/** Fields of INFO that a redis-sentinel 7.0.15 does not have. */
export const EXTRA_INFO: Readonly<Record<string, string>> = {
  sentinel_total_tilt: 'how often TILT was entered, as in Valkey 9',
}
