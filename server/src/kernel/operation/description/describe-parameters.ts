import type { TSchema } from "typebox";
import type { Operation } from "../../contract.ts";
import { ENVIRONMENT_NAMES } from "../../db/partition.ts";
import { supportsDryRun } from "../dry-run.ts";
import { isEventStream } from "../operation.ts";
import type { Components, DescriptionPart } from "./components.ts";
import { isGuarded, isRepeatable } from "./describe-responses.ts";

/** The name of the wildcard parameter, which the router calls `*`. */
export const REST = "rest";

/** The parameters of operations. Parameters shared by several routes are written once, under a name. */
export class Parameters {
  /** By name: headers and shared parameters of paths and queries. */
  readonly components: DescriptionPart = { ...HEADERS };
  readonly #byOperation = new Map<Operation, readonly DescriptionPart[]>();
  /** Names by the text of the parameter. */
  readonly #names = new Map<string, string>();

  constructor(operations: readonly Operation[], components: Components) {
    const usersByText = new Map<string, Operation[]>();
    // Sorted, because a parameter is named after its first user, and the order of module exports is not stable.
    for (const op of operations.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const described = [
        ...describeParameters(op.params, "path", op.example?.params, components),
        ...describeParameters(op.query, "query", op.example?.query, components),
      ];
      this.#byOperation.set(op, described);
      for (const text of described.map((one) => JSON.stringify(one))) {
        const users = usersByText.get(text) ?? [];
        usersByText.set(text, users);
        for (const _ of [op.route, ...(op.aliases ?? [])]) users.push(op);
      }
    }
    for (const [text, users] of usersByText) if (users.length > 1) this.#share(text, users);
  }

  /** The parameters of an operation at one of its paths. */
  of(op: Operation, path: string): DescriptionPart[] {
    const named = new Set(path.match(/(?<=\{)\w+(?=\})/g));
    const own = (this.#byOperation.get(op) ?? []).filter(
      (one) => one["in"] === "query" || named.has(String(one["name"])),
    );
    const described = own.map((one) => {
      const name = this.#names.get(JSON.stringify(one));
      return name === undefined ? one : { $ref: `${PARAMETERS_AT}${name}` };
    });
    return [...headersOf(op), ...described];
  }

  /** `limit`, or `incidents.limit` if one area uses it or the short name has another meaning. */
  #share(text: string, users: readonly Operation[]): void {
    const parameter = JSON.parse(text) as { readonly name: string };
    const areas = [...new Set(users.map(({ id }) => id.split(".")[0]))];
    const candidates = [
      ...(areas.length > 1 ? [parameter.name] : []),
      ...areas.map((area) => `${area}.${parameter.name}`),
      ...users.map(({ id }) => `${id}.${parameter.name}`),
    ];
    const name = candidates.find((candidate) => !(candidate in this.components));
    if (name === undefined) throw new Error(`${candidates.join(", ")}: parameters of one name.`);
    this.components[name] = parameter;
    this.#names.set(text, name);
  }
}

function describeParameters(
  schema: TSchema | undefined,
  location: "path" | "query",
  example: unknown,
  components: Components,
): DescriptionPart[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: readonly string[];
  };
  const examples = (example ?? {}) as DescriptionPart;
  return Object.entries(properties).map(([name, part]) => ({
    name: name === "*" ? REST : name,
    in: location,
    // A default replaces a missing value, regardless of the validator.
    required: location === "path" || (required.includes(name) && !("default" in part)),
    schema: components.resolve(part),
    ...(name in examples && { example: examples[name] }),
  }));
}

const PARAMETERS_AT = "#/components/parameters/";

const HEADERS = {
  workspace: header(
    "X-Workspace",
    "The slug of the workspace.",
    { type: "string", examples: ["default"] },
    true,
  ),
  workspaceOfStream: header(
    "X-Workspace",
    "The slug of the workspace. You can also send it in the query.",
    {
      type: "string",
    },
  ),
  environment: header("X-Environment", "The environment. Default: production.", {
    enum: ENVIRONMENT_NAMES,
    default: "production",
  }),
  requestId: header(
    "X-Request-ID",
    "Your id for this request. It is returned in the response and written to the log.",
    {
      type: "string",
      maxLength: 128,
    },
  ),
  idempotencyKey: header(
    "Idempotency-Key",
    "A unique key. A repeated request with the same key has no further effect.",
    {
      type: "string",
      maxLength: 255,
    },
  ),
  prefer: header(
    "Prefer",
    "`dry-run` runs the command and rolls it back. The response is a DryRun. `?dryRun=true` does the same.",
    { type: "string", examples: ["dry-run"] },
  ),
  lastEventId: header("Last-Event-ID", "The id of the last event that you received.", {
    type: "string",
  }),
  ifMatch: header(
    "If-Match",
    "The expected ETag. If the resource has another ETag, the request fails.",
    { type: "string" },
  ),
};

function header(
  name: string,
  description: string,
  schema: DescriptionPart,
  required = false,
): DescriptionPart {
  return { name, in: "header", required, description, schema };
}

function headersOf(op: Operation): DescriptionPart[] {
  const ref = (name: keyof typeof HEADERS): DescriptionPart => ({
    $ref: `${PARAMETERS_AT}${name}`,
  });
  return [
    ...(op.access === "workspace"
      ? [ref(isEventStream(op) ? "workspaceOfStream" : "workspace"), ref("environment")]
      : []),
    ref("requestId"),
    ...(isRepeatable(op) ? [ref("idempotencyKey")] : []),
    ...(isGuarded(op) ? [ref("ifMatch")] : []),
    ...(supportsDryRun(op) ? [ref("prefer")] : []),
    ...(isEventStream(op) ? [ref("lastEventId")] : []),
  ];
}
