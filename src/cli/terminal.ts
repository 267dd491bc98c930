/** What can be done at a terminal. A line of Emacs' shell or of a console without a size takes text, and no pictures. */
import type { WriteStream } from 'node:tty'

/** Whether it understands a sequence that erases a line. */
export function movesCursor(stream: WriteStream): boolean {
  return stream.isTTY === true && process.env.TERM !== 'dumb'
}

/** Whether a picture can be drawn again in its place. A serial console and `docker exec -t` may have no rows. */
export function drawsInPlace(stream: WriteStream): boolean {
  return movesCursor(stream) && stream.rows > 0
}
