/**
 * What a proxy on Node costs at least: two sockets for each client, and every byte passed on as it comes. It knows no
 * command, waits for no master and keeps nothing.
 *
 *   node forwarder.mjs <port> <port of the server>
 */
import { connect, createServer } from 'node:net'

const [port, serverPort] = process.argv.slice(2).map(Number)

createServer({ noDelay: true }, forward).listen({ port, host: '127.0.0.1', backlog: 511 })

function forward(client) {
  const server = connect({ port: serverPort, host: '127.0.0.1', noDelay: true })
  pass(client, server)
  pass(server, client)
}

function pass(from, to) {
  from.on('data', (bytes) => to.write(bytes))
  from.on('error', () => undefined)
  from.on('close', () => to.destroy())
}
