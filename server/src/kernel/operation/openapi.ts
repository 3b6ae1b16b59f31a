import type { TSchema } from "typebox";
import type { Domain, Operation, Route } from "../contract.ts";
import { inversesByType } from "../undo/inverse.ts";
import { type CatalogEntry, EventEnvelope } from "../log/event.ts";
import {
  CrossOrigin,
  type FailureType,
  Forbidden,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  Invalid,
  MalformedRequest,
  NotFound,
  PreconditionFailed,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  UnknownCoding,
  WrongMediaType,
} from "./failure.ts";
import { FORM_MEDIA_TYPE, JSON_MEDIA_TYPE } from "../http/request-body.ts";
import { ENVIRONMENT_NAMES } from "../db/partition.ts";
import { DryRun, supportsDryRun } from "./dry-run.ts";
import { Problem } from "./problem.ts";
import { isEventStream } from "./operation.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description of everything that the domains declare. */
export function describeApi(domains: readonly Domain[]): Json {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const domain of domains) {
    for (const op of domain.operations) {
      for (const route of [op.route, ...(op.aliases ?? [])]) {
        const { method, path } = describeRoute(route);
        paths[path] ??= {};
        paths[path][method.toLowerCase()] = describeOperation(
          op,
          route,
          domain.tag ?? domain.name,
          components,
        );
      }
    }
  }
  Object.assign(paths, DESCRIPTION_PATHS);
  components.ref(Problem);
  components.ref(EventEnvelope);
  components.ref(DryRun);
  return {
    openapi: "3.1.0",
    info: { title: "Millrace", version: "1", description: DESCRIPTION },
    servers: [{ url: "/" }],
    tags: [
      ...domains
        .filter(({ tag }) => tag === undefined)
        .map(({ name, summary }) => ({ name, description: summary })),
      { name: "api", description: "This description." },
    ],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A session or API token." },
      },
      parameters: PARAMETERS,
      schemas: components.schemas,
    },
  };
}

/** The catalog of events, each type with the schema of its `data`. */
export function describeEvents(domains: readonly Domain[]): CatalogEntry[] {
  const contributions = domains.flatMap((domain) => domain.contributions ?? []);
  const inverses = inversesByType(contributions);
  const isUndoable = (type: string) => (inverses.get(type)?.effect ?? "companion") !== "companion";
  return domains
    .flatMap(({ events }) => events)
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, resource, summary, data }) => ({
      type,
      resource,
      summary,
      data: plainDataOf(data),
      undoable: isUndoable(type),
    }));
}

const plainData = new WeakMap<TSchema, Json>();

/** Made once for each type, of which several lists of domains in one process may have the same. */
function plainDataOf(data: TSchema): Json {
  const plain = plainData.get(data) ?? toPlainSchema(data);
  plainData.set(data, plain);
  return plain;
}

const DESCRIPTION = `Workflow automation, internal apps, tables, integrations and IT service management.

Every request but those marked otherwise carries \`Authorization: Bearer …\` and \`X-Workspace: <slug>\`.
Answers are \`{ "data": … }\`; lists add \`pagination\`, and \`after=<nextCursor>\` goes on. Failures are
problem documents (RFC 9457) with a stable \`code\`. \`Idempotency-Key\` makes POST and PATCH safe to
repeat for 24 hours; \`If-Match\` with an \`ETag\` guards an update. Every change appends the events that
\`x-events\` names, in the same transaction. With \`Prefer: dry-run\`, or \`?dryRun=true\`, a command that
has that header is performed and taken back: it answers 200 with \`{ "data": DryRun }\`, which holds the
answer, the events and the changes that there would have been.`;

/** The addresses of the description itself, which are no operations: every client may keep what they answer. */
const DESCRIPTION_PATHS = Object.fromEntries(
  [
    { format: "json", mediaType: JSON_MEDIA_TYPE, schema: { type: "object" } },
    { format: "yaml", mediaType: "application/yaml", schema: { type: "string" } },
  ].map(({ format, mediaType, schema }) => [
    `/api/v1/openapi.${format}`,
    {
      get: {
        operationId: `api.describe_${format}`,
        summary: `Get this description as ${format.toUpperCase()}`,
        description: "With an ETag: a client that has it may ask with `If-None-Match`.",
        tags: ["api"],
        security: [],
        responses: {
          200: { description: "It went well.", content: { [mediaType]: { schema } } },
          304: { description: "It is the one that `If-None-Match` names." },
        },
        "x-permission": null,
        "x-events": [],
      },
    },
  ]),
);

/** A route's method and path; in OpenAPI the rest of a path, of any length, is a parameter like others. */
function describeRoute(route: Route): { method: string; path: string } {
  const [method, path] = route.split(" ") as [string, string];
  return { method, path: path.replace(/\*$/, `{${REST}}`) };
}

/** The name of a parameter for the rest of a path, which the router calls by its asterisk. */
const REST = "rest";

const PARAMETERS = {
  workspace: header(
    "X-Workspace",
    "The slug of the workspace.",
    { type: "string", examples: ["default"] },
    true,
  ),
  workspaceOfStream: header(
    "X-Workspace",
    "The slug of the workspace, unless the query names it.",
    {
      type: "string",
    },
  ),
  environment: header("X-Environment", "Which environment's data.", {
    enum: ENVIRONMENT_NAMES,
    default: "production",
  }),
  requestId: header("X-Request-ID", "Your id for this request, echoed and logged.", {
    type: "string",
    maxLength: 128,
  }),
  idempotencyKey: header(
    "Idempotency-Key",
    "Repeating the request with it has no further effect.",
    {
      type: "string",
      maxLength: 255,
    },
  ),
  prefer: header(
    "Prefer",
    "`dry-run`: perform it, take it back, and answer with a DryRun. So does `?dryRun=true`.",
    { type: "string", examples: ["dry-run"] },
  ),
  lastEventId: header("Last-Event-ID", "The id of the last event that you have.", {
    type: "string",
  }),
  ifMatch: header("If-Match", "The ETag that the resource must still have.", { type: "string" }),
};

function header(name: string, description: string, schema: Json, required = false): Json {
  return { name, in: "header", required, description, schema };
}

function describeOperation(op: Operation, route: Route, tag: string, components: Components): Json {
  const named = new Set(describeRoute(route).path.match(/(?<=\{)\w+(?=\})/g));
  return {
    operationId: describeOperationId(op, route),
    // Readers of the description list an operation once.
    ...(route !== op.route && { "x-alias-of": op.id, "x-scalar-ignore": true }),
    summary: op.summary,
    ...(op.description && { description: op.description }),
    tags: [tag],
    ...(!needsCredential(op) && { security: [] }),
    parameters: [
      ...headersOf(op),
      ...describeParameters(op.params, "path", op.example?.params, components).filter(({ name }) =>
        named.has(String(name)),
      ),
      ...describeParameters(op.query, "query", op.example?.query, components),
    ],
    ...(op.body && {
      requestBody: {
        required: op.bodyOptional !== true,
        content: {
          "application/json": {
            schema: components.resolve(op.body),
            ...(op.example?.body !== undefined && { example: op.example.body }),
          },
          ...(op.acceptsForm && { [FORM_MEDIA_TYPE]: { schema: components.resolve(op.body) } }),
          ...(op.acceptsText && { [op.acceptsText.mediaType]: { schema: { type: "string" } } }),
        },
      },
    }),
    ...(op.readsRequest && { requestBody: { required: false, content: { "*/*": {} } } }),
    ...(op.streamsBody && { requestBody: { required: true, content: UPLOAD_CONTENT } }),
    responses: describeResponses(op, components),
    "x-permission": op.permission?.name ?? null,
    "x-events": op.emits.map(({ type }) => type),
  };
}

const UPLOAD_CONTENT: Json = {
  "application/octet-stream": { schema: { type: "string", format: "binary" } },
  "multipart/form-data": {
    schema: {
      type: "object",
      required: ["file"],
      properties: { file: { type: "string", format: "binary" } },
    },
  },
};

/** A further route of an operation has an id of its own, of letters that any language takes in a name. */
export function describeOperationId({ id, aliases = [] }: Operation, route: Route): string {
  const index = aliases.indexOf(route);
  if (index === -1) return id;
  return index === 0 ? `${id}${ALIAS}` : `${id}${ALIAS}${index + 1}`;
}

const ALIAS = "_alias";

function headersOf(op: Operation): Json[] {
  const ref = (name: keyof typeof PARAMETERS): Json => ({
    $ref: `#/components/parameters/${name}`,
  });
  return [
    ...(op.access === "workspace"
      ? [ref(isEventStream(op) ? "workspaceOfStream" : "workspace"), ref("environment")]
      : []),
    ref("requestId"),
    ...(/^(POST|PATCH)/.test(op.route) && needsCredential(op) ? [ref("idempotencyKey")] : []),
    ...(isGuarded(op) ? [ref("ifMatch")] : []),
    ...(supportsDryRun(op) ? [ref("prefer")] : []),
    ...(isEventStream(op) ? [ref("lastEventId")] : []),
  ];
}

function describeParameters(
  schema: TSchema | undefined,
  location: "path" | "query",
  example: unknown,
  components: Components,
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: readonly string[];
  };
  const examples = (example ?? {}) as Json;
  return Object.entries(properties).map(([name, part]) => ({
    name: name === "*" ? REST : name,
    in: location,
    // A default fills in a missing value, whatever the validator then requires.
    required: location === "path" || (required.includes(name) && !("default" in part)),
    schema: components.resolve(part),
    ...(name in examples && { example: examples[name] }),
  }));
}

function describeResponses(op: Operation, components: Components): Json {
  const failures: FailureType[] = [
    MalformedRequest,
    // A credential may be good for another workspace or another address only.
    ...(needsCredential(op) ? [Unauthenticated, RateLimited, Forbidden] : []),
    ...(op.params ? [NotFound] : []),
    // Every operation rejects unknown fields.
    Invalid,
    ...(op.access === "visitor" && !op.route.startsWith("GET") ? [CrossOrigin] : []),
    ...(/^(POST|PATCH)/.test(op.route) && needsCredential(op)
      ? [IdempotencyInProgress, IdempotencyKeyReused]
      : []),
    ...(isGuarded(op) || /^(PATCH|PUT)/.test(op.route) ? [PreconditionFailed] : []),
    ...((op.body ?? (op.readsRequest || op.streamsBody)) ? [TooLarge] : []),
    // An operation that takes any bytes still rejects a malformed media type.
    ...(op.body || op.readsRequest || op.streamsBody ? [WrongMediaType, UnknownCoding] : []),
    Unavailable,
    ...(op.fails ?? []),
  ];
  const byStatus = Map.groupBy(new Set(failures), ({ status }) => status);
  const { mediaType, body } = op.response.errorRendering ?? {
    mediaType: "application/problem+json",
    body: Problem,
  };
  const failureContent = { [mediaType]: { schema: components.ref(body) } };
  const success = {
    description: "It went well.",
    ...(op.response.body && {
      content: { "application/json": { schema: components.resolve(op.response.body) } },
    }),
    ...((op.response.raw ?? op.response.stream) &&
      !op.response.body && {
        content: Object.fromEntries(
          (op.response.mediaType ?? "text/html")
            .split(", ")
            .map((name) => [name, { schema: name === JSON_MEDIA_TYPE ? {} : { type: "string" } }]),
        ),
      }),
  };
  return {
    [op.response.status]: success,
    ...(op.response.alternative && { [op.response.alternative.status]: success }),
    ...(op.response.raw &&
      !op.response.mediaType &&
      !op.response.body && {
        303: { description: "On to another page." },
      }),
    ...(op.response.otherResponses !== undefined && {
      default: { description: op.response.otherResponses },
    }),
    ...Object.fromEntries(
      [...byStatus].map(([status, types]) => [
        status,
        {
          description: types.map(({ code, title }) => `\`${code}\`: ${title}`).join("\n\n"),
          content: failureContent,
        },
      ]),
    ),
  };
}

/** True when `If-Match` is checked. */
function isGuarded({ route, kind }: Operation): boolean {
  return kind === "command" && /^(PATCH|PUT|DELETE) .*\{/.test(route);
}

function needsCredential({ access }: Operation): boolean {
  return access === "workspace" || access === "account";
}

/** Schemas with a title are written once, under that name. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly #texts = new Map<string, string>();

  ref(schema: TSchema): Json {
    const { title } = schema as { title?: string };
    if (title === undefined) return this.resolve(schema);
    const text = JSON.stringify(schema);
    const registered = this.#texts.get(title);
    // Clients would take one for the other.
    if (registered !== undefined && registered !== text)
      throw new Error(`Two schemas are called ${title}.`);
    if (registered === undefined) {
      this.#texts.set(title, text);
      this.schemas[title] = {};
      this.schemas[title] = this.#parts(toPlainSchema(schema));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  resolve(schema: TSchema): Json {
    return "title" in schema ? this.ref(schema) : (this.#parts(toPlainSchema(schema)) as Json);
  }

  #parts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#nested(part));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, this.#nested(part)]),
    );
  }

  #nested(value: unknown): unknown {
    const { title, type } = (value ?? {}) as Json;
    // Not the fields of an object that happen to be called so.
    const titled = typeof title === "string" && typeof type === "string";
    return titled ? this.ref(value as TSchema) : this.#parts(value);
  }
}

/** The JSON Schema without TypeBox's own marks. */
function toPlainSchema(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
