/** `vedette replay --step` as somebody at a terminal sees it who makes the window smaller. */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { cli, freePorts, MAIN, sentinel, stopAll, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** util-linux' script gives a program a terminal. */
const HAS_SCRIPT = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util')

test.skipIf(!HAS_SCRIPT)('a step is drawn again for the new size (needs script)', async () => {
  const folder = scratchFolder('replay-terminal')
  const [port = 0, master = 0] = await freePorts(2)
  const program = sentinel(folder, port, { master })
  let screen = ''
  try {
    program.start()
    await until('it answers', 10_000, () => cli(port, 'PING')[0] === 'PONG')
    program.signal('SIGTERM')
    await until('it ends', 10_000, () => !program.isRunning)
    const record = join(folder, String(port), `sentinel-${port}.state.blackbox`)
    const replay = `'${process.execPath}' '${MAIN}' replay --step '${record}'`
    const terminal = spawn('script', ['-qec', `stty cols 120 rows 40; tty; ${replay}`, '/dev/null'])
    terminal.stdout.on('data', (chunk) => {
      screen += stripVTControlCharacters(String(chunk))
    })
    await until('it shows a step', 20_000, () => screen.includes('q: end'))
    const [device = ''] = /\/dev\/pts\/\d+/.exec(screen) ?? []
    screen = ''
    spawnSync('stty', ['-F', device, 'cols', '40', 'rows', '20'])
    await until('it is drawn again', 5_000, () => screen.includes('q: end'))
    expect(screen).toMatch(/next step\s+m: ten/)
    terminal.stdin.write('q')
    await until('it ends', 5_000, () => terminal.exitCode !== null)
  } finally {
    await stopAll(folder, [program])
  }
})
