/**
 * For messages that quote text from outside: control characters are escaped, so that one message is one
 * line and cannot change the terminal it is read on.
 */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (char) => {
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g
