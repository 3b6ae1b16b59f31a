/**
 * XML as data: an element is its text, or an object of its attributes (`@name`), children, and text (`#text`).
 * Document types are not supported, so entities cannot expand.
 */
import { DocumentError } from "../work/task.ts";
import { decodeEntities } from "./entities.ts";

const DEPTH_MAX = 100;
const ELEMENTS_MAX = 200_000;

interface OpenElement {
  readonly name: string;
  readonly line: number;
  readonly members: Map<string, unknown>;
  text: string;
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!([A-Za-z]+)|<\/([^\s>]+)\s*>|<([^\s/>!?]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)|</g;

export function parseXml(text: string): unknown {
  const root: OpenElement = { name: "", line: 1, members: new Map(), text: "" };
  const open: OpenElement[] = [root];
  let [line, count] = [1, 0];
  for (const match of text.replace(/^\uFEFF/, "").matchAll(TOKEN)) {
    const [whole, cdata, declaration, closed, opened, attributes = "", slash, content] = match;
    const top = open.at(-1) ?? root;
    if (declaration !== undefined)
      throw new DocumentError(
        "The file contains a document type declaration, which is not supported.",
        line,
      );
    if (cdata !== undefined) top.text += cdata;
    else if (content !== undefined) top.text += decodeEntities(content);
    else if (closed !== undefined) {
      if (open.length === 1 || closed !== top.name) throw mismatch(top, closed, line);
      open.pop();
      add(open.at(-1) ?? root, top);
    } else if (opened !== undefined) {
      count += 1;
      if (count > ELEMENTS_MAX) throw new DocumentError("The file has too many elements.", line);
      const element: OpenElement = {
        name: opened,
        line,
        members: parseAttributes(attributes),
        text: "",
      };
      if (slash === "/") add(top, element);
      else open.push(element);
      if (open.length > DEPTH_MAX)
        throw new DocumentError("The file has too many levels of nesting.", line);
    } else if (whole === "<") throw new DocumentError("A tag is not closed.", line);
    line += countLines(whole);
  }
  const last = open.at(-1);
  if (last && last !== root)
    throw new DocumentError(`The element ${last.name} is not closed.`, last.line);
  if (count === 0)
    throw new DocumentError("The file is not XML: it does not contain an element.", 1);
  return Object.fromEntries(root.members);
}

function mismatch(top: OpenElement, closed: string, line: number): DocumentError {
  const name = closed.slice(0, 100);
  const detail = top.name === "" ? "" : ` within ${top.name.slice(0, 100)}`;
  return new DocumentError(`The element ${name} is closed${detail} but was not opened.`, line);
}

/** Adds an element to its parent. Several of one name become a list. */
function add(parent: OpenElement, element: OpenElement): void {
  const { members, name } = element;
  const text = element.text.trim();
  if (members.size > 0 && text !== "") members.set("#text", text);
  const value = members.size === 0 ? text : Object.fromEntries(members);
  const former = parent.members.get(name);
  if (former === undefined) parent.members.set(name, value);
  else if (Array.isArray(former)) former.push(value);
  else parent.members.set(name, [former, value]);
}

function parseAttributes(text: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [, name = "", double, single] of text.matchAll(
    /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    found.set(`@${name}`, decodeEntities(double ?? single ?? ""));
  }
  return found;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
