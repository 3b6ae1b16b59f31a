/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Makes the DOM what a description says, changing no more than differs: what has the focus keeps it, what
 * somebody typed stays, an open dialog stays open.
 */
import type { Child, VNode } from "./vnode.ts";

const SVG = "http://www.w3.org/2000/svg";

/** Makes the children of an element those that are described. */
export function patch(parent: Element, children: readonly Child[]): void {
  let node = parent.firstChild;
  for (const child of children) {
    const match = matching(node, child);
    if (!match) {
      parent.insertBefore(created(child, parent), node);
      continue;
    }
    while (node && node !== match) {
      const gone = node;
      node = node.nextSibling;
      gone.remove();
    }
    update(match, child);
    node = match.nextSibling;
  }
  while (node) {
    const gone = node;
    node = node.nextSibling;
    gone.remove();
  }
}

/** The node that is to become what is described: with the same key, or here and of the same kind. */
function matching(from: ChildNode | null, child: Child): ChildNode | undefined {
  if (typeof child === "string") return from?.nodeType === Node.TEXT_NODE ? from : undefined;
  const key = child.attributes["data-key"];
  if (key === undefined) return isLike(from, child) ? from : undefined;
  for (let node = from; node; node = node.nextSibling) if (isLike(node, child)) return node;
  return undefined;
}

function isLike(node: ChildNode | null, { tag, attributes }: VNode): node is Element & ChildNode {
  if (!(node instanceof Element) || node.localName.toLowerCase() !== tag.toLowerCase())
    return false;
  return (node.getAttribute("data-key") ?? undefined) === attributes["data-key"];
}

function update(node: ChildNode, child: Child): void {
  if (typeof child === "string") {
    if (node.nodeValue !== child) node.nodeValue = child;
    return;
  }
  if (!(node instanceof Element)) return;
  for (const name of node.getAttributeNames()) {
    // Whether a dialog or details are open is for whoever uses them to say.
    if (!(name in child.attributes) && name !== "open") node.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(child.attributes)) {
    const text = value === true ? "" : value;
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
  patch(node, child.children);
}

function created(child: Child, parent: Element): Node {
  if (typeof child === "string") return document.createTextNode(child);
  const isSvg = child.tag === "svg" || parent.namespaceURI === SVG;
  const element = isSvg
    ? document.createElementNS(SVG, child.tag)
    : document.createElement(child.tag);
  for (const [name, value] of Object.entries(child.attributes)) {
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const one of child.children) element.append(created(one, element));
  return element;
}
