import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/compile";
import { followRef } from "../../../client/src/references.ts";

/** A JSON Schema as our description writes it; references are resolved before anybody sees one. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** One operation on one of its paths, as contract/openapi.json describes it. */
export interface Operation {
  /** With `:1` and so on for its further paths. */
  readonly id: string;
  /** Without them: the name that samples have. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly params: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly bodyExample: unknown;
  /** Media types of the body, JSON first. */
  readonly takes: readonly string[];
  readonly headers: ReadonlySet<string>;
  readonly needsCredential: boolean;
  /** Types of events, of which a call that went well appends at least one; none for a query. */
  readonly events: readonly string[];
  readonly statuses: ReadonlySet<string>;
  /** By status: the media types and what is wrong with a JSON text of it. */
  readonly replies: ReadonlyMap<string, Reply>;
}

/** What an answer with one status must be. */
export interface Reply {
  readonly mediaTypes: readonly string[];
  /** The first fault of a body, or undefined when it has none. */
  readonly faultOf: (body: unknown, mediaType: string) => string | undefined;
}

interface RawBody {
  readonly content: Readonly<Record<string, { schema?: Schema; example?: unknown }>>;
}

interface RawResponse {
  readonly content?: Readonly<Record<string, { schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: RawBody;
  readonly responses: Readonly<Record<string, RawResponse>>;
  readonly security?: readonly unknown[];
  readonly "x-events"?: readonly string[];
  readonly "x-alias-of"?: string;
}

const FILE = join(import.meta.dirname, "../../../contract/openapi.json");

/** All operations of our own description. */
export function readContract(): Operation[] {
  const document = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, unknown>;
  const resolve = resolver(document);
  const paths = document["paths"] as Record<string, Record<string, RawOperation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) =>
      operationOf(path, method, followParts(document, raw), resolve),
    ),
  );
}

/** An operation with its body and responses in place of the references to them. */
function followParts(document: object, raw: RawOperation): RawOperation {
  const responses = Object.entries(raw.responses).map(
    ([status, response]) => [status, followRef(document, response)] as const,
  );
  return {
    ...raw,
    ...(raw.requestBody && { requestBody: followRef(document, raw.requestBody) }),
    responses: Object.fromEntries(responses),
  };
}

/** Follows references. No schema of ours refers to itself, so what comes out is finite. */
function resolver(document: Record<string, unknown>): (value: unknown) => unknown {
  const known = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref !== "string") {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
    }
    if (!known.has($ref)) {
      const steps = $ref.slice("#/".length).split("/");
      const target = steps.reduce<unknown>(
        (at, step) => (at as Record<string, unknown>)[step],
        document,
      );
      known.set($ref, resolve(target));
    }
    return known.get($ref);
  };
  return resolve;
}

function operationOf(
  path: string,
  method: string,
  raw: RawOperation,
  resolve: (value: unknown) => unknown,
): Operation {
  const id = raw.operationId ?? `${method} ${path}`;
  const parameters = resolve(raw.parameters ?? []) as Parameter[];
  const content = raw.requestBody?.content ?? {};
  const json = content["application/json"];
  return {
    id,
    name: raw["x-alias-of"] ?? id,
    method: method.toUpperCase() as Operation["method"],
    path,
    params: parameters.filter((one) => one.in === "path"),
    query: parameters.filter((one) => one.in === "query"),
    body: json?.schema && (resolve(json.schema) as Schema),
    bodyExample: json?.example,
    takes: Object.keys(content),
    headers: new Set(
      parameters.filter((one) => one.in === "header").map(({ name }) => name.toLowerCase()),
    ),
    needsCredential: raw.security === undefined,
    events: raw["x-events"] ?? [],
    statuses: new Set(Object.keys(raw.responses)),
    replies: new Map(
      Object.entries(raw.responses).map(([status, { content: told = {} }]) => [
        status,
        replyOf(told, resolve),
      ]),
    ),
  };
}

function replyOf(
  content: Readonly<Record<string, { schema?: Schema }>>,
  resolve: (value: unknown) => unknown,
): Reply {
  const checks = new Map<string, ReturnType<typeof Compile>>();
  const checkOf = (mediaType: string): ReturnType<typeof Compile> | undefined => {
    const schema = content[mediaType]?.schema;
    if (!schema) return undefined;
    let check = checks.get(mediaType);
    // At first use: hundreds of schemas take their time, and a short run needs a few.
    if (!check) checks.set(mediaType, (check = compiled(schema, resolve)));
    return check;
  };
  return {
    mediaTypes: Object.keys(content).map((name) => name.split(";")[0] ?? name),
    faultOf(body, mediaType) {
      const check = checkOf(mediaType);
      if (!check || check.Check(body)) return undefined;
      const [first] = check.Errors(body);
      return first
        ? `${first.instancePath || "the whole"} ${first.message}`
        : "it does not match its schema";
    },
  };
}

/** Many operations answer alike, with a problem above all; each such schema is compiled once. */
const compiledSchemas = new WeakMap<object, ReturnType<typeof Compile>>();

function compiled(
  schema: Schema,
  resolve: (value: unknown) => unknown,
): ReturnType<typeof Compile> {
  const whole = resolve(schema) as object;
  let check = compiledSchemas.get(whole);
  if (!check) compiledSchemas.set(whole, (check = Compile(whole)));
  return check;
}
