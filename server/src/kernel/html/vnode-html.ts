/** Renders virtual nodes as HTML with all texts and attributes escaped. */
import type { Child } from "./vnode.ts";

const VOID = new Set(["br", "hr", "input", "img", "link", "meta"]);
const TAG = /^[a-z][a-z0-9]*$/;
const ATTRIBUTE = /^[a-zA-Z][a-zA-Z0-9-]*$/;

export function renderHtml(children: readonly Child[]): string {
  return children.map(renderNode).join("");
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function renderNode(child: Child): string {
  if (typeof child === "string") return escapeHtml(child);
  const { tag, attributes, children } = child;
  if (!TAG.test(tag)) throw new Error(`An element can't be called ${tag}.`);
  const attributesHtml = Object.entries(attributes).map(([name, value]) => {
    if (!ATTRIBUTE.test(name)) throw new Error(`An attribute can't be called ${name}.`);
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`;
  });
  const open = `<${tag}${attributesHtml.join("")}>`;
  if (VOID.has(tag)) return open;
  // Browsers drop the first line break of a text area.
  return `${open}${tag === "textarea" ? "\n" : ""}${renderHtml(children)}</${tag}>`;
}
