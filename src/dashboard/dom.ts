/** Elements from data. Text is always text: nothing a server says can become markup. */

export type Child = Node | string | undefined
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children)
}

export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

/** The element of the page with this id; the page and this program are built together. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as T
}

function filled<T extends Element>(
  target: T,
  attributes: Attributes,
  children: readonly Child[],
): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    target.setAttribute(name, value === true ? '' : String(value))
  }
  target.append(...children.filter((child) => child !== undefined))
  return target
}
