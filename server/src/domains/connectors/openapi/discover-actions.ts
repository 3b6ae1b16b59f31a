import { mapJson } from "#kernel/schema/map-json.ts";
import type { DiscoveredApi, DiscoveredAction } from "./discovered-action.ts";
import { Document, DocumentError, listOf, nodeOf, textOf } from "./document.ts";
import { toAction, nameOf, operationsOf, type Operation } from "./operation.ts";

const OPERATIONS_MAX = 2_000;
const ACTIONS_CHARACTERS_MAX = 4_000_000;
/** Schemas are truncated at the first of these depths at which their total size is small enough. */
const LEVELS = [12, 8, 6, 4, 3, 2, 1, 0];
const TITLE_CHARACTERS_MAX = 200;

/** Reads an OpenAPI document, JSON or YAML. `from` is its URL. Throws a `DocumentError`. */
export async function discoverActions(
  text: string,
  from: string | undefined,
): Promise<DiscoveredApi> {
  const document = new Document(await parseDocument(text));
  const operations = operationsOf(document);
  if (operations.length === 0) throw new DocumentError("has no operations");
  if (operations.length > OPERATIONS_MAX) {
    throw new DocumentError(`has more than ${OPERATIONS_MAX} operations`);
  }
  for (const levels of LEVELS) {
    const actions = actionsAt(levels, document, operations);
    if (!actions) continue;
    const info = nodeOf(document.root["info"]);
    const about = {
      title: (textOf(info["title"]) ?? "").slice(0, TITLE_CHARACTERS_MAX),
      version: versionOf(info["version"]).slice(0, TITLE_CHARACTERS_MAX),
      serverUrl: resolveServerUrl(document, from),
      leftOut: operations.length - actions.length,
    };
    // The database accepts neither NUL nor lone surrogates.
    return mapJson({ ...about, actions }, storable, storableText) as DiscoveredApi;
  }
  throw new DocumentError("is too large");
}

/** All actions with their schemas truncated at this depth; undefined if they are still too large. */
function actionsAt(
  levels: number,
  document: Document,
  operations: readonly Operation[],
): DiscoveredAction[] | undefined {
  const names = uniqueNames(operations);
  const actions: DiscoveredAction[] = [];
  let characters = 0;
  for (const [index, operation] of operations.entries()) {
    const action = toAction(document, operation, levels);
    if (!action) continue;
    characters += JSON.stringify(action).length;
    if (characters > ACTIONS_CHARACTERS_MAX) return undefined;
    actions.push({ name: names[index] ?? "", ...action });
  }
  return actions;
}

async function parseDocument(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}

async function parseYaml(text: string): Promise<unknown> {
  // Loaded when it is needed: most documents are JSON.
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100, logLevel: "error" });
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    throw new DocumentError(`is neither JSON nor YAML: ${line.slice(0, 200)}`);
  }
}

/** YAML parses an unquoted version as a number. */
function versionOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Makes names unique: duplicates get a number. */
function uniqueNames(operations: readonly Operation[]): string[] {
  const taken = new Set<string>();
  return operations.map((operation) => {
    const name = storableText(nameOf(operation));
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

/** The first server, with default variables, relative to the URL of the document. */
function resolveServerUrl(document: Document, from: string | undefined): string | null {
  const server = nodeOf(listOf(document.root["servers"])[0]);
  const variables = nodeOf(server["variables"]);
  const url = (textOf(server["url"]) ?? "/").replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? nodeOf(variables[name])["default"] : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  return URL.parse(url, from)?.href ?? null;
}

function storable(leaf: unknown): unknown {
  if (typeof leaf === "string") return storableText(leaf);
  return typeof leaf === "number" && !Number.isFinite(leaf) ? null : leaf;
}

function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}
