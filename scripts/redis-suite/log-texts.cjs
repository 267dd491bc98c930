/**
 * What our log says, and what redis-server's log says of the same; the tests wait for the latter. `$1`: what the first
 * group has found. A text that says more than our line does not belong here: the test would pass for nothing.
 */
const LOG_TEXTS = [
  // Starting and ending.
  [/another process is listening/, 'Failed listening on port'],
  [/saving the data/, 'User requested shutdown'],
  [/shutdown: bye/, 'Redis is now ready to exit, bye bye...'],
  [/data cannot be saved/, "Error trying to save the DB, can't exit"],
  [/shutdown: it goes on: a client has ended it/, 'Shutdown manually aborted'],
  [/shutdown: it goes on/, 'Errors trying to shut down'],
  [/some replicas have not acknowledged everything/, 'Lagging replica'],
  [/some replicas have not acknowledged everything/, '0 of 1 replicas are in sync'],
  // Replication.
  [/partial resynchronisation from/, 'Successful partial resynchronization'],
  [/forced to take over/, 'time out exceeded, failing over.'],
  [/given up.*(refus|reject)/, 'Failover target rejected psync request'],
  // The append-only file.
  [/ends in the middle|aof-load-truncated/, 'Unexpected end of file reading the append only file'],
  [/is damaged at byte/, 'Bad file format reading the append only file'],
  [
    /has the command '([^']*)', which this node does not know,/,
    "Unknown command '$1' reading the append only file",
  ],
  [/does not increase/, 'Found a non-monotonic sequence number'],
  [
    /it is blank|too few words|names no file|quotes do not|number \(seq\)/,
    'Invalid AOF manifest file format',
  ],
  [/second base/, 'Found duplicate base file information'],
  [/names no known type/, 'Unknown AOF file type'],
  [/it is too long/, 'The AOF manifest file contains too long line'],
  [/appendonly.aof.manifest.*it is empty/, 'Found an empty AOF manifest'],
  [/is missing, and the manifest/, 'No such file or directory'],
  [/checksum/, 'CRC error'],
  // Scripts.
  [/a script .*(runs|takes)/, 'Slow script detected'],
]

module.exports = { LOG_TEXTS }
