/**
 * Whether output is coloured, in one place. As most programs do it, except that a pipe in CI gets none: what
 * a pipe gets is read by a program, wherever it runs. `FORCE_COLOR` asks for colours all the same.
 */
import pc from 'picocolors'

const { env, stdout } = process
const isForced = env.FORCE_COLOR !== undefined && !['', '0'].includes(env.FORCE_COLOR)
const isColored = !env.NO_COLOR && (isForced || (stdout.isTTY === true && env.TERM !== 'dumb'))

export const colors = pc.createColors(isColored)
