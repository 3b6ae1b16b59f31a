import type { DiscoveredAction, Parameter } from "./discovered-action.ts";
import { type Document, listOf, type DocumentNode, nodeOf, textOf } from "./document.ts";
import { pruneSchema } from "./prune-schema.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
const NAME_CHARACTERS_MAX = 200;
const SUMMARY_CHARACTERS_MAX = 500;
const PARTS_MAX = 300;
const BODY = "body";

/** An operation and its location in the document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly node: DocumentNode;
  /** The parameters of all methods of its path. */
  readonly shared: readonly unknown[];
}

/** All operations of a document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(nodeOf(document.root["paths"])).flatMap(([path, item]) => {
    const node = document.resolve(item);
    return METHODS.filter((method) => method in node).map((method) => ({
      method: method.toUpperCase(),
      path,
      node: nodeOf(node[method]),
      shared: listOf(node["parameters"]),
    }));
  });
}

/** The name of an operation: its id, or its method and path. */
export function nameOf({ node, method, path }: Operation): string {
  const declared = textOf(node["operationId"])?.trim() ?? "";
  return (declared === "" ? `${method} ${path}` : declared).slice(0, NAME_CHARACTERS_MAX);
}

/**
 * Converts an operation to an action; truncates its input schemas to a depth. Undefined if its body is not
 * supported.
 */
export function toAction(
  document: Document,
  operation: Operation,
  levels: number,
): Omit<DiscoveredAction, "name"> | undefined {
  const { node, method, path } = operation;
  const body = selectBody(document, node);
  if (body === "unknown") return undefined;
  const limits = { levels, parts: PARTS_MAX };
  const found = collectParameters(document, operation);
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const { parameter, schema, description, isRequired } of found) {
    const about = pruneSchema(document, schema, limits);
    properties[parameter.field] = { ...(description !== undefined && { description }), ...about };
    if (isRequired) required.push(parameter.field);
  }
  if (body) {
    properties[BODY] = pruneSchema(document, body.schema, limits);
    if (body.isRequired) required.push(BODY);
  }
  const summary = textOf(node["summary"]) ?? textOf(node["description"]) ?? `${method} ${path}`;
  return {
    summary: summary.slice(0, SUMMARY_CHARACTERS_MAX),
    method,
    path,
    parameters: found.map(({ parameter }) => parameter),
    bodyType: body?.mediaType ?? null,
    input: {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  };
}

interface FoundParameter {
  readonly parameter: Parameter;
  readonly schema: unknown;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

/** The parameters of an operation; parameters with the same name get separate fields. */
function collectParameters(document: Document, { node, shared }: Operation): FoundParameter[] {
  const byPlace = new Map<string, DocumentNode>();
  for (const declared of [...shared, ...listOf(node["parameters"])]) {
    const about = document.resolve(declared);
    const [name, place] = [textOf(about["name"]), textOf(about["in"])];
    if (name === undefined || name === "__proto__" || !isPlace(place)) continue;
    byPlace.set(`${place} ${name}`, about);
  }
  const taken = new Set([BODY]);
  return [...byPlace.values()].map((about) => {
    const name = String(about["name"]);
    const place = about["in"] as Parameter["in"];
    const field = taken.has(name) ? `${place}_${name}` : name;
    taken.add(field);
    const schema = about["schema"] ?? nodeOf(Object.values(nodeOf(about["content"]))[0])["schema"];
    return {
      parameter: { field, name, in: place, style: styleOf(about) },
      schema,
      description: textOf(about["description"])?.slice(0, SUMMARY_CHARACTERS_MAX),
      isRequired: place === "path" || about["required"] === true,
    };
  });
}

function isPlace(value: string | undefined): value is Parameter["in"] {
  return value === "path" || value === "query" || value === "header";
}

function styleOf(about: DocumentNode): Parameter["style"] {
  if (about["style"] === "deepObject") return "deep";
  if (about["in"] !== "query" || about["explode"] === false) return "plain";
  return "exploded";
}

interface Body {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** Selects the body: JSON, then form, then text. An optional body of another kind is ignored. */
function selectBody(document: Document, node: DocumentNode): Body | "unknown" | undefined {
  if (!("requestBody" in node)) return undefined;
  const about = document.resolve(node["requestBody"]);
  const content = nodeOf(about["content"]);
  const isRequired = about["required"] === true;
  const types = Object.keys(content);
  const mediaType = WRITABLE.map((kind) => types.find((type) => kind.test(type))).find(Boolean);
  if (mediaType === undefined) return isRequired ? "unknown" : undefined;
  return { mediaType, schema: nodeOf(content[mediaType])["schema"], isRequired };
}

const WRITABLE = [
  /^application\/json\b/i,
  /^[\w.+-]+\/[\w.+-]+\+json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^text\/[\w.+-]+/i,
];
