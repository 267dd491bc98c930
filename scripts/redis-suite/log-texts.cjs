/** What our log says, and what redis-server's log says of the same; the tests wait for the latter. */
const LOG_TEXTS = [[/another process is listening/, 'Failed listening on port']]

module.exports = { LOG_TEXTS }
