import type { Child } from "./browser/vnode.ts";

const VOID = new Set(["br", "hr", "input", "img", "link", "meta"]);
const TAG = /^[a-z][a-z0-9]*$/;
const ATTRIBUTE = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** Elements as HTML, every text and every value escaped. */
export function htmlOf(children: readonly Child[]): string {
  return children.map(one).join("");
}

function one(child: Child): string {
  if (typeof child === "string") return escaped(child);
  const { tag, attributes, children } = child;
  if (!TAG.test(tag)) throw new Error("An element has a strange name.");
  const written = Object.entries(attributes).map(([name, value]) => {
    if (!ATTRIBUTE.test(name)) throw new Error("An attribute has a strange name.");
    return value === true ? ` ${name}` : ` ${name}="${escaped(value)}"`;
  });
  const open = `<${tag}${written.join("")}>`;
  return VOID.has(tag) ? open : `${open}${htmlOf(children)}</${tag}>`;
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
