import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/compile";
import { followRef } from "../../../client/src/references.ts";

/** A JSON Schema in the format of our description, with resolved references. */
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

/** One operation on one of its paths, as described in contract/openapi.json. */
export interface Operation {
  /** With the suffix `:1` and so on for additional paths. */
  readonly id: string;
  /** The name without suffix, as in samples. */
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
  /** Event types, at least one of which a successful call appends. Empty for queries. */
  readonly events: readonly string[];
  readonly statuses: ReadonlySet<string>;
  /** By status: the media types, and a check of the body. */
  readonly replies: ReadonlyMap<string, Reply>;
}

/** The valid responses with one status. */
export interface Reply {
  readonly mediaTypes: readonly string[];
  /** The first error of a body. Undefined if it is valid. */
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

/** All operations of our description. */
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

/** An operation with resolved references to its body and responses. */
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

/** Resolves references. No schema references itself, so the result is finite. */
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
    // Compiled on first use, because there are hundreds of schemas, and a short run needs few.
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

/** Many operations share response schemas, especially the problem document, so each schema is compiled once. */
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
