/**
 * Group names travel in the hello, whose tokens are separated by commas, and in events and files,
 * whose words are separated by blanks. Redis accepts any name and then cannot read its own file
 * back.
 */

/**
 * Why a name is not allowed; undefined if it is. `name` is text: of the bytes of UTF-8 some would be blanks or
 * control characters by themselves, as in `à` and `ß`.
 */
export function groupNameFault(name: string): string | undefined {
  if (name === '') return 'a group needs a name'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
  const hasUnsafe = /[\s,\u0000-\u001f\u007f-\u009f]/.test(name)
  return hasUnsafe ? 'a group name has no blanks, commas or control characters' : undefined
}
