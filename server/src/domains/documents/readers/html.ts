/** Extracts a page's title, visible text, links and tables. Nothing in it is executed. */
import { VALUE_CHARACTERS_MAX } from "../work/task.ts";
import { decodeEntities } from "./entities.ts";

const LINKS_MAX = 2_000;
const TABLES_MAX = 100;
const HIDDEN = new Set(["script", "style", "noscript", "template", "svg", "head", "title"]);
const BLOCK =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<![^>]*>|<(\/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|([^<]+)|</g;

interface Page {
  text: string;
  readonly links: { readonly href: string; text: string }[];
  readonly tables: string[][][];
  link: { readonly href: string; text: string } | undefined;
  cell: string | undefined;
}

export function readHtml(source: string): unknown {
  const title = /<title[^>]*>([^<]*)/i.exec(source)?.[1] ?? "";
  const page: Page = { text: "", links: [], tables: [], link: undefined, cell: undefined };
  let hidden: string | undefined;
  for (const [whole, slash, tag, attributes = "", content] of source.matchAll(TOKEN)) {
    const name = tag?.toLowerCase();
    if (hidden !== undefined) {
      if (slash === "/" && name === hidden) hidden = undefined;
      continue;
    }
    if (name === undefined) addText(page, decodeEntities(content ?? (whole === "<" ? "<" : "")));
    else if (slash === "" && HIDDEN.has(name)) hidden = attributes.endsWith("/") ? undefined : name;
    else if (slash === "") openTag(page, name, attributes);
    else closeTag(page, name);
  }
  const lines = page.text.split("\n").map((line) => line.replaceAll(/[^\S\n]+/g, " ").trim());
  const text = lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  const { links, tables } = page;
  return {
    title: decodeEntities(title).trim(),
    text: text.slice(0, VALUE_CHARACTERS_MAX),
    links: links.map((link) => ({ ...link, text: link.text.replaceAll(/\s+/g, " ").trim() })),
    tables: tables.filter((rows) => rows.length > 0),
  };
}

function addText(page: Page, text: string): void {
  page.text += text;
  if (page.link) page.link.text += text;
  if (page.cell !== undefined) page.cell += text;
}

function openTag(page: Page, name: string, attributes: string): void {
  if (BLOCK.test(name)) page.text += "\n";
  if (name === "a" && page.links.length < LINKS_MAX) {
    const [, double, single] = /href\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
    const href = decodeEntities(double ?? single ?? "");
    page.link = href === "" ? undefined : { href, text: "" };
    if (page.link) page.links.push(page.link);
  }
  if (name === "table" && page.tables.length < TABLES_MAX) page.tables.push([]);
  if (name === "tr") page.tables.at(-1)?.push([]);
  if (name === "td" || name === "th") {
    page.cell = "";
    page.text += "\t";
  }
}

function closeTag(page: Page, name: string): void {
  if (BLOCK.test(name)) page.text += "\n";
  if (name === "a") page.link = undefined;
  if ((name === "td" || name === "th") && page.cell !== undefined) {
    page.tables.at(-1)?.at(-1)?.push(page.cell.replaceAll(/\s+/g, " ").trim());
    page.cell = undefined;
  }
}
