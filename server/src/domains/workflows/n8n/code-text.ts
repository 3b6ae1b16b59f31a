/**
 * Converts n8n parameters to JavaScript: a text that starts with `=` contains code between braces, anything else is a
 * value.
 */
import { Script } from "node:vm";
import type { Json } from "./n8n-workflow.ts";

/** The names available to n8n expressions, in the argument order of scripts. */
const VIEW_NAMES =
  "$json $binary $item $input $node $items $itemIndex $runIndex $now $today $jmespath $execution $workflow $prevNode $ifEmpty $if $max $min items".split(
    " ",
  );

/** Unsupported n8n features: how a text references them, and the word for the report. */
const UNSUPPORTED: readonly (readonly [pattern: RegExp, needs: string])[] = [
  [
    /\brequire\s*\(\s*(?!["'`](?:node:)?(?:crypto|buffer|url|luxon|jmespath|querystring)["'`])|\bimport\s*\(/,
    "Node.js modules",
  ],
  [
    /\$secrets\b|\$(?:vars|env)\b(?!\s*\??\.\s*[A-Za-z_]\w*|\s*\[\s*\\?["'`][A-Za-z_]\w*\\?["'`]\s*\])/,
    "variables with computed names",
  ],
  [/\$execution\.getWorkflowStaticData/, "n8n helpers"],
  [
    /this\.(?!helpers)get\w+\(|\$http\b|requestWithAuthentication|httpRequestWithAuthentication/,
    "n8n helpers",
  ],
];

/** The unsupported feature that a text needs. */
export function needsOf(value: Json): string | undefined {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return UNSUPPORTED.find(([pattern]) => pattern.test(text))?.[1];
}

const VARIABLE = /\$(?:vars|env)\b\s*(?:\??\.\s*|\[\s*\\?["'`])([A-Za-z_]\w*)/g;

export function variablesRead(value: Json): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name))];
}

/** Code that loads variables before a script. In n8n they are global; here each is requested from the platform. */
export function variablesCode(source: string): string {
  const names = variablesRead(source);
  if (names.length === 0) return "";
  return `const $env = await n8n.variables(context, ${JSON.stringify(names)}), $vars = $env;\n`;
}

/** Finds the node names referenced in a text. */
export function nodesRead(value: Json): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  const pattern = /\$(?:node\[|items\(|\()\s*\\?(["'`])((?:(?!\\?\1).)+)\\?\1/g;
  return [
    ...new Set([...text.matchAll(pattern)].map(([, , name = ""]) => name.replaceAll("\\", ""))),
  ];
}

/** True if the text finds an item of another node through paired items. */
export function readsPairedItem(value: Json): boolean {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return /\$\([^)]{0,300}\)\.(?:item\b|itemMatching)|\$node\[/.test(text);
}

/** Thrown for code that cannot be parsed. */
export class UnreadableCode extends Error {}

/** Equal to the maximum length of a script. */
const CODE_CHARACTERS_MAX = 262_144;

/** A parameter as code: an expression with the value of the parameter. */
export function toCode(value: Json): string {
  const code = writeCode(value);
  assertShort(code);
  return code;
}

function assertShort(code: string): void {
  if (code.length > CODE_CHARACTERS_MAX) throw new UnreadableCode("It is longer than a script.");
}

function writeCode(value: Json): string {
  if (typeof value === "string")
    return value.startsWith("=") ? templateCode(value.slice(1)) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toCode).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${toCode(member)}`,
    );
    return `{ ${members.join(", ")} }`;
  }
  return JSON.stringify(value ?? null);
}

function templateCode(text: string): string {
  assertShort(text);
  const parts = splitTemplate(text);
  const codes = parts.map((part) =>
    "code" in part ? expressionCode(part.code) : JSON.stringify(part.text),
  );
  const [only] = codes;
  if (codes.length <= 1) return only ?? '""';
  return codes
    .map((code, index) => ("code" in (parts[index] ?? {}) ? `n8n.text(${code})` : code))
    .join(" + ");
}

/** A part of a text: literal text, or code between braces. */
export type TemplatePart = { readonly text: string } | { readonly code: string };

/** Splits a text with expressions into parts. */
export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", at)) {
    const end = findEnd(text, open);
    // Unclosed braces are text, as in n8n.
    if (end < 0) break;
    if (open > at) parts.push({ text: text.slice(at, open) });
    parts.push({ code: text.slice(open + 2, end) });
    at = end + 2;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** The end of an expression: the first closing braces that do not close an object. */
function findEnd(text: string, open: number): number {
  const close = text.indexOf("}}", open);
  if (close < 0 || text[close + 2] !== "}" || isReadable(text.slice(open + 2, close))) return close;
  let end = close;
  while (text[end + 2] === "}") end += 1;
  return isReadable(text.slice(open + 2, end)) ? end : close;
}

function isReadable(code: string): boolean {
  try {
    assertReadable(`(${code.trim().replace(/;$/, "")}\n)`);
    return true;
  } catch (error) {
    if (error instanceof UnreadableCode) return false;
    throw error;
  }
}

/** Code of an expression that n8n cannot parse either. It fails when it is evaluated, as in n8n. */
const UNREADABLE = "n8n.unreadable";

/** True if the steps contain such an expression. */
export function hasUnreadable(steps: Json): boolean {
  return JSON.stringify(steps).includes(`${UNREADABLE}(`);
}

function expressionCode(code: string): string {
  const trimmed = code.trim().replace(/;$/, "");
  if (trimmed === "") return "undefined";
  if (!isReadable(trimmed)) return `${UNREADABLE}(${JSON.stringify(trimmed.slice(0, 100))})`;
  return /^[\w$.]+$/.test(trimmed) && !trimmed.includes("..") && trimmed.split(".").length <= 2
    ? trimmed
    : `value(() => (${trimmed}${trimmed.includes("//") ? "\n" : ""}))`;
}

/** Compiles the code without running it. */
export function assertReadable(code: string): void {
  assertShort(code);
  try {
    // oxlint-disable-next-line no-new
    new Script(`(async () => {${code}\n})`);
  } catch (error) {
    throw new UnreadableCode(error instanceof Error ? error.message : "The code can't be parsed.");
  }
}

/** Finds the names used from the item view. */
export function viewNames(code: string): string[] {
  const used = VIEW_NAMES.filter((name) =>
    new RegExp(`(?<![\\w$.])${name.replace("$", "\\$")}\\b`).test(code),
  );
  return [
    ...used,
    ...(/(?<![\w$.])\$\(/.test(code) ? ["$"] : []),
    ...(/\bvalue\(\(\) =>/.test(code) ? ["value"] : []),
  ];
}
