/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Patches the DOM to match virtual nodes, and changes only differences: focus, typed text and open dialogs are
 * kept.
 */
import type { Child, VNode } from "#kernel/html/vnode.ts";

const SVG = "http://www.w3.org/2000/svg";

/** Patches the children of an element. */
export function patch(parent: Element, children: readonly Child[]): void {
  let node = parent.firstChild;
  for (const child of children) {
    const match = findMatch(node, child);
    if (!match) {
      parent.insertBefore(createNode(child, parent), node);
      continue;
    }
    while (node && node !== match) {
      const removed = node;
      node = node.nextSibling;
      removed.remove();
    }
    update(match, child);
    node = match.nextSibling;
  }
  while (node) {
    const removed = node;
    node = node.nextSibling;
    removed.remove();
  }
}

/** Finds the node to patch: the one with the same key, or the next one with the same tag. */
function findMatch(from: ChildNode | null, child: Child): ChildNode | undefined {
  if (typeof child === "string") return from?.nodeType === Node.TEXT_NODE ? from : undefined;
  const key = child.attributes["data-key"];
  if (key === undefined) return isSameElement(from, child) ? from : undefined;
  for (let node = from; node; node = node.nextSibling) if (isSameElement(node, child)) return node;
  return undefined;
}

function isSameElement(
  node: ChildNode | null,
  { tag, attributes }: VNode,
): node is Element & ChildNode {
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
    // Dialogs and details are opened and closed by the user.
    if (!(name in child.attributes) && name !== "open") node.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(child.attributes)) {
    const text = value === true ? "" : value;
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
  patch(node, child.children);
}

function createNode(child: Child, parent: Element): Node {
  if (typeof child === "string") return document.createTextNode(child);
  const isSvg = child.tag === "svg" || parent.namespaceURI === SVG;
  const element = isSvg
    ? document.createElementNS(SVG, child.tag)
    : document.createElement(child.tag);
  for (const [name, value] of Object.entries(child.attributes)) {
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const inner of child.children) element.append(createNode(inner, element));
  return element;
}
