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

/**
 * Brings the children of an element to what they are to be, and touches only what has changed: text that the reader
 * has marked stays marked, and a focus stays where it is. For elements without listeners, which would stay the old ones.
 */
export function renew(target: Element, ...children: readonly Child[]): void {
  const wanted = children.filter((child) => child !== undefined).map(asNode)
  const present = [...target.childNodes]
  for (const [at, node] of wanted.entries()) {
    const old = present[at]
    if (old === undefined) target.append(node)
    else if (!isRenewed(old, node)) old.replaceWith(node)
  }
  for (const old of present.slice(wanted.length)) old.remove()
}

/** Text that stays the same is not set again, which would end its selection. */
export function say(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text
}

function asNode(child: Node | string): Node {
  return typeof child === 'string' ? document.createTextNode(child) : child
}

/** False: the old node cannot become the new one. */
function isRenewed(old: Node, node: Node): boolean {
  if (old instanceof Text && node instanceof Text) {
    if (old.data !== node.data) old.data = node.data
    return true
  }
  if (!(old instanceof Element && node instanceof Element) || !isAlike(old, node)) return false
  renewAttributes(old, node)
  renew(old, ...node.childNodes)
  return true
}

/** A link to somewhere else is another link. */
function isAlike(old: Element, node: Element): boolean {
  return (
    old.localName === node.localName &&
    old.namespaceURI === node.namespaceURI &&
    old.getAttribute('href') === node.getAttribute('href')
  )
}

function renewAttributes(old: Element, node: Element): void {
  for (const name of old.getAttributeNames())
    if (!node.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of node.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
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
