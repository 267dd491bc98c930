/**
 * What the Sentinel and the data node answer alike comes from `src/session`. The same client, with the same
 * number, asks both; whoever writes an answer of one program a second time will differ here one day.
 */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { NodeHarness } from '../support/node-harness.ts'
import { TestSentinel } from '../support/sentinel-builder.ts'

const LINES = `
CLIENT ID|CLIENT GETNAME|CLIENT SETNAME app|CLIENT GETNAME|CLIENT SETNAME é|CLIENT SETNAME
CLIENT SETINFO lib-name a|CLIENT SETINFO LIB-VER é|CLIENT SETINFO other a|CLIENT NO-EVICT on|CLIENT NO-EVICT x
CLIENT REPLY x|CLIENT REPLY skip|PING|PING|CLIENT REPLY off|PING|CLIENT REPLY on
CLIENT LIST TYPE x|CLIENT LIST ID x|CLIENT LIST x|CLIENT LIST TYPE master|CLIENT LIST ID 99
CLIENT KILL 1.2.3.4:5|CLIENT KILL ID 0|CLIENT KILL ID 99|CLIENT KILL TYPE x|CLIENT KILL USER x|CLIENT KILL SKIPME x
CLIENT KILL ID 1|CLIENT KILL ID 1 SKIPME|CLIENT KILL x 1|CLIENT KILL TYPE normal LADDR x
CLIENT PAUSE x|CLIENT PAUSE -1|CLIENT PAUSE 1 x|CLIENT UNBLOCK x|CLIENT UNBLOCK 1 x|CLIENT UNBLOCK 1
HELLO x|HELLO 4|HELLO 3 x|HELLO 3 AUTH x|HELLO 3 AUTH x y|HELLO 3 SETNAME é|AUTH x|AUTH x y|AUTH x y z
PING|PING a|PING a b|SUBSCRIBE a b|PSUBSCRIBE *|PING|PING a|UNSUBSCRIBE a|PUNSUBSCRIBE|UNSUBSCRIBE|UNSUBSCRIBE
SUBSCRIBE a|ACL WHOAMI|CLIENT GETNAME
ACL WHOAMI|ACL CAT|ACL CAT x|ACL CAT x y|ACL USERS|ACL LOG x|ACL LOG 1 2|ACL GENPASS 0|ACL GENPASS 1 2
ACL SETUSER u on >p +ping +@x|ACL SETUSER u on >p +ping|ACL GETUSER x|ACL DRYRUN x ping|ACL DRYRUN u x
ACL DRYRUN u ping|ACL DRYRUN u subscribe|ACL DRYRUN u subscribe c|AUTH u q|AUTH u p|ACL WHOAMI|PING|SUBSCRIBE c
ACL DELUSER default|ACL DELUSER x|ACL DELUSER u u|ACL LOAD|ACL SAVE
COMMAND LIST x|COMMAND LIST FILTERBY MODULE x|COMMAND LIST FILTERBY PATTERN Ac*T|COMMAND LIST FILTERBY ACLCAT x
COMMAND INFO x client|setname|COMMAND DOCS x|COMMAND GETKEYS x y|COMMAND GETKEYS ping
nosuch a b|CLIENT nosuch|ACL nosuch|COMMAND nosuch
`

describe.each([2, 3])('in RESP%i', (protocol) => {
  test.each(LINES.trim().split('\n'))('%s', (line) => {
    const sentinel = new TestSentinel().connect()
    const node = new NodeHarness().client()
    for (const client of [sentinel, node]) ask(client, ['HELLO', String(protocol)])
    for (const request of line.split(/\|(?=[A-Z]|nosuch)/)) {
      const argv = request.split(' ')
      expect([request, ask(sentinel, argv)]).toEqual([request, ask(node, argv)])
    }
    expect(sentinel.isClosed).toBe(node.isClosed)
  })
})

function ask(
  client: { send(bytes: string): string } | { bytes(bytes: string): string },
  argv: readonly string[],
): string {
  const bytes = encodeCommand(argv)
  return 'bytes' in client ? client.bytes(bytes) : client.send(bytes)
}
