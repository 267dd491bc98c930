/** What our log says, and what redis-server's log says of the same; the tests wait for the latter. */
const LOG_TEXTS = [
  // Starting and ending.
  [/another process is listening/, 'Failed listening on port'],
  [/saving the data/, 'User requested shutdown'],
  [/shutdown: bye/, 'Redis is now ready to exit, bye bye...'],
  [/shutdown: bye/, '1 of 1 replicas are in sync'],
  [/data cannot be saved/, "Error trying to save the DB, can't exit"],
  [/shutdown: it goes on|not to end after all|given up.*shutdown/, 'Shutdown manually aborted'],
  [/shutdown: it goes on/, "Writing initial AOF, can't exit"],
  [/shutdown: it goes on/, 'Errors trying to shut down'],
  [/shutdown: it goes on/, '1 of 1 replicas are in sync'],
  [/some replicas have not acknowledged everything/, 'Lagging replica'],
  [/some replicas have not acknowledged everything/, '0 of 1 replicas are in sync'],
  // Replication.
  [/partial resynchroni[sz]ation/, 'Successful partial resynchronization'],
  [/forced to take over/, 'time out exceeded, failing over.'],
  [/given up.*(refus|reject)/, 'Failover target rejected psync request'],
  // The append-only file.
  [/ends in the middle|aof-load-truncated/, 'Unexpected end of file reading the append only file'],
  [/is damaged at byte/, 'Bad file format reading the append only file'],
  [/does not know,/, "Unknown command 'bla' reading the append only file"],
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
