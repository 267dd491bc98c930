/**
 * HTML as a template. Every value put into one is escaped, in texts and in attributes, unless it is
 * itself the result of a template: a name in a scenario file cannot become markup, wherever it is
 * shown.
 */
export interface Markup {
  readonly markup: string
}

export type Piece = string | number | Markup | readonly Markup[] | undefined

export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let markup = texts[0] ?? ''
  pieces.forEach((piece, index) => {
    markup += render(piece) + (texts[index + 1] ?? '')
  })
  return { markup }
}

/** Text that is already markup: our own style and script, never anything from outside. */
export function trusted(markup: string): Markup {
  return { markup }
}

function render(piece: Piece): string {
  if (piece === undefined) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece))
  if ('markup' in piece) return piece.markup
  return piece.map(({ markup }) => markup).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
