import { randomUUID } from "node:crypto";
import { text } from "./told.ts";

/** Answers what a script's context asks: `=` and the answer, or `!` and what is wrong with the question. */
export function reply(what: unknown, texts: unknown): string {
  try {
    const parsed: unknown = JSON.parse(String(texts));
    const [a = "", b, c = ""] = Array.isArray(parsed) ? parsed.map(text) : [];
    return `=${answerTo(String(what), a, b, c)}`;
  } catch (error) {
    return `!${error instanceof Error ? error.message : ""}`;
  }
}

function answerTo(what: string, a: string, b: string | undefined, c: string): string {
  switch (what) {
    case "atob":
      return atob(a);
    case "btoa":
      return btoa(a);
    case "uuid":
      return randomUUID();
    case "form":
      return JSON.stringify([...new URLSearchParams(a)]);
    case "query":
      return new URLSearchParams(pairs(JSON.parse(a))).toString();
    case "url":
      return partsOf(new URL(a, b));
    case "url.set":
      return partsOf(changed(new URL(a), b ?? "", c));
    default:
      throw new TypeError("Unknown question.");
  }
}

const PARTS = [
  ...(["href", "protocol", "username", "password", "host"] as const),
  ...(["hostname", "port", "pathname", "search", "hash"] as const),
];

function changed(url: URL, name: string, value: string): URL {
  const part = PARTS.find((known) => known === name);
  if (part) url[part] = value;
  return url;
}

function partsOf(url: URL): string {
  const parts = PARTS.map((part) => [part, url[part]] as const);
  return JSON.stringify({ ...Object.fromEntries(parts), origin: url.origin });
}

function pairs(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: unknown) => {
    const [name, content] = Array.isArray(pair) ? pair : [];
    return [String(name), String(content)];
  });
}
