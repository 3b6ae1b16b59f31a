/**
 * Generated responses and first items for templates: they contain the fields that the template reads, so that its run
 * reaches many nodes.
 */

type Json = Readonly<Record<string, unknown>>;

/** A path after `$json`, `.json` and similar, in code quoted as JSON. */
const READ =
  /(?:\$json|\bjson|\$\w+)((?:\??\.[A-Za-z_$][\w$]*|\??\.?\[(?:\\*["'][^"'\\\]]+\\*["']|\d+)\])+)(\s*\()?/g;
const PART = /\.?([A-Za-z_$][\w$]*)|\[\\*["']([^"'\\\]]+)\\*["']\]|\[(\d+)\]/g;
/** Methods and properties of values. */
const ASKED =
  /^(?:length|map|filter|forEach|find|some|every|join|slice|split|includes|replace|replaceAll|trim|toLowerCase|toUpperCase|toString|match|push|concat|reduce|sort|flatMap|first|last|item|all|json|now|toISO|toFormat|substring|startsWith|endsWith|keys|values|isEmpty)$/;
const LIST = /^(?:length|map|filter|forEach|find|some|every|join|reduce|sort|flatMap|push|concat)$/;
const LIST_NAMES = ["data", "results", "items"];
const THINGS = [1, 2, 3];

/** The response for a template, and the item of its trigger. */
export function nameAnswer(nodes: readonly unknown[], trigger?: { readonly type: string }) {
  const text = JSON.stringify(nodes);
  const fields: Record<string, unknown> = {};
  for (const [, path = "", call] of text.matchAll(READ))
    add(fields, partsOf(path), call !== undefined);
  for (const name of namedFields(nodes)) add(fields, [...name.split("."), "map"], true);
  const thing = (id: number): Json => ({ id, name: `Thing ${id}`, ...leavesOf(fields, id) });
  const lists = Object.fromEntries(LIST_NAMES.map((name) => [name, THINGS.map(thing)]));
  const answer = { ...lists, total: THINGS.length, ...fill(fields, thing) };
  const isHook = trigger?.type.endsWith(".webhook") === true;
  const { body, query, headers, params } = answer as Json;
  const item = isHook
    ? {
        headers: { host: "example.com", ...Object(headers) },
        params: { ...Object(params) },
        query: { ...Object(query) },
        body: { ...answer, ...Object(body) },
      }
    : answer;
  return { answer, item, thing };
}

function partsOf(path: string): string[] {
  return [...path.matchAll(PART)].map(([, name, quoted, index]) => name ?? quoted ?? index ?? "");
}

/** Adds a path. A list is represented by its member `0`. */
function add(fields: Record<string, unknown>, parts: readonly string[], isCall: boolean): void {
  const end = parts.findIndex((part) => ASKED.test(part));
  const last = end < 0 ? undefined : parts[end];
  const path = end < 0 ? (isCall ? parts.slice(0, -1) : parts) : parts.slice(0, end);
  const whole = last !== undefined && LIST.test(last) ? [...path, "0"] : path;
  let at = fields;
  for (const part of whole) {
    if (["__proto__", "constructor", "prototype"].includes(part)) return;
    at[part] ??= {};
    at = at[part] as Record<string, unknown>;
  }
}

/** Fields named in node parameters: lists to split, values to aggregate. */
function namedFields(nodes: readonly unknown[]): string[] {
  return nodes.flatMap((node) => {
    const { parameters = {} } = node as { readonly parameters?: Json };
    const { fieldToSplitOut } = parameters;
    return typeof fieldToSplitOut === "string" && !fieldToSplitOut.startsWith("=")
      ? fieldToSplitOut
          .split(",")
          .map((one) => one.trim())
          .filter((one) => one !== "")
      : [];
  });
}

/** Values for the fields: lists contain objects, and leaves have a value derived from their name. */
function fill(fields: Json, thing: (id: number) => Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, inner]) => [name, fillOne(name, inner as Json, thing)]),
  );
}

function fillOne(name: string, inner: Json, thing: (id: number) => Json): unknown {
  const names = Object.keys(inner);
  if (names.length === 0) return valueOf(name, 1);
  if (!names.some((one) => /^\d+$/.test(one))) return fill(inner, thing);
  const members = Object.assign({}, ...names.map((one) => inner[one])) as Json;
  const isPlain = Object.keys(members).length === 0;
  return THINGS.map((id) => (isPlain ? thing(id) : { ...thing(id), ...fill(members, thing) }));
}

/** Leaf fields, as the fields of an object. */
function leavesOf(fields: Json, id: number): Json {
  const leaves = Object.entries(fields).filter(
    ([, inner]) => Object.keys(inner as Json).length === 0,
  );
  return Object.fromEntries(leaves.map(([name]) => [name, valueOf(name, id)]));
}

function valueOf(name: string, id: number): unknown {
  if (/email/i.test(name)) return `person${id}@example.com`;
  if (/^(?:is|has)[A-Z_]|active|enabled|valid|success/i.test(name)) return id % 2 === 1;
  if (/date|_at$|At$|time/i.test(name)) return `2026-03-0${id}T10:20:30.000Z`;
  if (/url|link|href/i.test(name)) return `https://example.com/${name}/${id}`;
  if (
    /count|price|amount|total|score|age|size|number|value|lat|lon|temp|rate|qty|quantity/i.test(
      name,
    )
  )
    return id * 1.5;
  if (/tags|list|items|categories/i.test(name)) return ["a", "b", "c"].slice(0, id);
  if (/^id$|_id$|Id$/.test(name)) return id;
  return `${name} ${id}`;
}
