/**
 * Renders a JSON value as YAML. The common library takes seconds for the API description and blocks other
 * requests, because it searches for the nicest form of each text. Quoted texts are sufficient here.
 */
export function renderYaml(value: unknown): string {
  const lines: string[] = [];
  appendValue(lines, value, "", "");
  return `${lines.join("\n")}\n`;
}

/** Adds a value whose first line begins with `head`. */
function appendValue(lines: string[], value: unknown, head: string, indent: string): void {
  if (Array.isArray(value) && value.length > 0) {
    if (head !== "") lines.push(head);
    for (const item of value) appendItem(lines, item, indent);
  } else if (isFilledObject(value)) {
    if (head !== "") lines.push(head);
    appendFields(lines, value, indent, indent);
  } else {
    lines.push(head === "" ? renderScalar(value) : `${head} ${renderScalar(value)}`);
  }
}

function appendItem(lines: string[], item: unknown, indent: string): void {
  if (isFilledObject(item)) appendFields(lines, item, `${indent}- `, `${indent}  `);
  else appendValue(lines, item, `${indent}-`, `${indent}  `);
}

/** Adds the fields of an object. In a list item, the first is on the line of the dash. */
function appendFields(lines: string[], value: object, first: string, indent: string): void {
  let start = first;
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    appendValue(lines, part, `${start}${renderText(name)}:`, `${indent}  `);
    start = indent;
  }
}

function isFilledObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((part) => part !== undefined);
}

function renderScalar(value: unknown): string {
  if (typeof value === "string") return renderText(value);
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : JSON.stringify(value);
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/;
const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Plain text if it is unambiguous, otherwise JSON, because every JSON string is valid YAML. */
function renderText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text);
}
