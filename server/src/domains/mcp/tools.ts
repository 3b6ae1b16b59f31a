import type { Caller } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { supportsDryRun } from "#kernel/operation/dry-run.ts";
import { mayBeDrastic } from "#kernel/access/drastic-call.ts";
import {
  effectiveEnvironment,
  findAgentOperation,
  findOperations,
  isDrasticCall,
} from "./agent-operations.ts";
import { type AgentPolicy, demandsApproval } from "./approvals/policy.ts";
import { type AgentAnswer, invokeOperation, toRawInput } from "./invoke-operation.ts";
import { type ObjectSchema, splitInput, toInputSchema } from "./tool-input.ts";

type Members = Readonly<Record<string, unknown>>;

const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

/** A tool as the protocol lists it. */
export interface ToolItem {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
}

/** The call of a tool, before execution. */
export type PlannedCall =
  | { readonly answer: unknown }
  | { readonly refusal: string }
  | {
      /** The confirmation question for a destructive call. */
      readonly question: string;
      readonly isDrastic: () => Promise<boolean>;
      readonly run: () => Promise<AgentAnswer>;
      /** True if the workspace requires approval of it. */
      readonly isDemanded: (policy: AgentPolicy) => Promise<boolean>;
      /** Requests the approval that the workspace requires. */
      readonly request: () => Promise<AgentAnswer>;
    }
  | { readonly callId: string; readonly waitMs: number };

/** Tools for frequent operations; the others are found with `find_operations`. */
const SHORTCUTS: readonly {
  readonly name: string;
  readonly operation: string;
  readonly environment?: EnvironmentName;
}[] = [
  { name: "list_node_types", operation: "workflows.node_types" },
  { name: "validate_workflow", operation: "workflows.validate" },
  { name: "create_workflow", operation: "workflows.create" },
  { name: "test_workflow", operation: "workflows.test" },
  { name: "rehearse_workflow", operation: "workflows.rehearse" },
  { name: "publish_workflow", operation: "workflows.publish", environment: "staging" },
  { name: "list_runs", operation: "runs.list" },
  { name: "get_run", operation: "runs.get" },
  { name: "list_records", operation: "records.list" },
  { name: "run_sql", operation: "queries.run" },
  { name: "list_tickets", operation: "tickets.list" },
];

const FIND: ToolItem = {
  name: "find_operations",
  title: "Find operations",
  description:
    "Finds operations by words, such as `incident resolve`, within the permissions of your token. Then describe an operation and call it.",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string", maxLength: 200 } },
    required: ["query"],
  },
  annotations: { readOnlyHint: true, destructiveHint: false },
};

const DESCRIBE: ToolItem = {
  name: "describe_operation",
  title: "Describe an operation",
  description:
    "Returns the input of an operation as JSON Schema, the events that it appends, and its errors.",
  inputSchema: {
    type: "object",
    properties: { operation: { type: "string", maxLength: 200 } },
    required: ["operation"],
  },
  annotations: { readOnlyHint: true, destructiveHint: false },
};

const extras = (environment?: EnvironmentName): Readonly<Record<string, object>> => ({
  environment: {
    type: "string",
    enum: [...ENVIRONMENTS],
    description: `That of the connection unless given${environment ? `; current environment: ${environment}` : ""}`,
  },
  dryRun: {
    type: "boolean",
    description: "True to preview the response, the changes and the events without saving anything",
  },
  idempotencyKey: {
    type: "string",
    maxLength: 200,
    description: "A repeated key has no further effect",
  },
});

const CALL: ToolItem = {
  name: "call_operation",
  title: "Call an operation",
  description:
    "Calls an operation that you described before. Send `dryRun: true` first if it changes data. Critical calls require the confirmation of a person.",
  inputSchema: {
    type: "object",
    properties: {
      operation: { type: "string", maxLength: 200 },
      input: { type: "object", description: "Path, query and body in one object" },
      ifMatch: {
        type: "string",
        maxLength: 100,
        description: "Revision of the resource that you read, in quotes",
      },
      ...extras(),
    },
    required: ["operation"],
  },
  annotations: { readOnlyHint: false, destructiveHint: true },
};

const WAIT_SECONDS_MAX = 60;

const GET_CALL: ToolItem = {
  name: "get_call",
  title: "Check a call that waits for an approval",
  description:
    "Returns the status of a call that requires approval, and its response after it ran. Approved calls run automatically: do not repeat them.",
  inputSchema: {
    type: "object",
    properties: {
      id: {
        type: "string",
        maxLength: 100,
        description: "Id from the response of the call: agc_…",
      },
      waitSeconds: {
        type: "integer",
        minimum: 0,
        maximum: WAIT_SECONDS_MAX,
        description: "How long to wait for a decision. Returns immediately if there is one",
      },
    },
    required: ["id"],
  },
  annotations: { readOnlyHint: true, destructiveHint: false },
};

/** The tools of a caller, without those that its token may not use. */
export function listTools(platform: Platform, caller: Caller): ToolItem[] {
  const shortcuts = SHORTCUTS.flatMap(({ name, operation, environment }) => {
    const op = findAgentOperation(platform, caller, operation);
    return op ? [toTool(name, op, environment)] : [];
  });
  return [FIND, DESCRIBE, CALL, GET_CALL, ...shortcuts];
}

/** Returns whether a name belongs to a built-in tool, regardless of the caller's permissions. */
export function isOwnTool(name: string): boolean {
  return [FIND, DESCRIBE, CALL, GET_CALL, ...SHORTCUTS].some((own) => own.name === name);
}

function toTool(name: string, op: Operation, environment: EnvironmentName | undefined): ToolItem {
  const schema = toInputSchema(op);
  const isCommand = op.kind === "command";
  return {
    name,
    title: op.summary,
    description: op.description ?? op.summary,
    inputSchema: {
      ...schema,
      properties: { ...schema.properties, ...(isCommand && extras(environment)) },
    },
    annotations: {
      readOnlyHint: !isCommand,
      destructiveHint: mayBeDrastic(op, environment ?? "production"),
    },
  };
}

/** Plans the call of a tool with these arguments; undefined if the tool does not exist. */
export function planCall(
  platform: Platform,
  caller: Caller,
  { name, args }: { readonly name: string; readonly args: Members },
): PlannedCall | undefined {
  if (name === FIND.name) {
    return { answer: { operations: findOperations(platform, caller, textOf(args["query"])) } };
  }
  if (name === DESCRIBE.name) return describe(platform, caller, textOf(args["operation"]));
  if (name === GET_CALL.name) {
    const seconds = Number(args["waitSeconds"] ?? 0);
    const bounded = Math.min(Math.max(Number.isFinite(seconds) ? seconds : 0, 0), WAIT_SECONDS_MAX);
    return { callId: textOf(args["id"]), waitMs: bounded * 1_000 };
  }
  const { dryRun, idempotencyKey, environment, ...rest } = args;
  const options = { dryRun, idempotencyKey, environment };
  if (name === CALL.name) {
    const op = findAgentOperation(platform, caller, textOf(rest["operation"]));
    if (!op) return UNKNOWN_OPERATION;
    const input = (rest["input"] ?? {}) as Members;
    return planOperation({ platform, caller, op }, input, { ...options, ifMatch: rest["ifMatch"] });
  }
  const shortcut = SHORTCUTS.find((one) => one.name === name);
  const op = shortcut && findAgentOperation(platform, caller, shortcut.operation);
  if (!op) return undefined;
  return planOperation({ platform, caller, op }, rest, {
    ...options,
    environment: environment ?? shortcut.environment,
  });
}

const UNKNOWN_OPERATION = {
  refusal: "The operation does not exist, or your token can't call it. Use find_operations.",
} as const;

function describe(platform: Platform, caller: Caller, id: string): PlannedCall {
  const op = findAgentOperation(platform, caller, id);
  if (!op) return UNKNOWN_OPERATION;
  return {
    answer: {
      operation: op.id,
      summary: op.summary,
      description: op.description ?? null,
      changes: op.kind === "command",
      asksAPerson: mayBeDrastic(op, effectiveEnvironment(op, caller.environment)),
      input: toInputSchema(op),
      example: op.example
        ? { ...op.example.params, ...op.example.query, ...(op.example.body as object | undefined) }
        : null,
      events: op.emits.map(({ type }) => type),
      failures: (op.fails ?? []).map(({ code, status, title }) => ({ code, status, title })),
    },
  };
}

/** Plans the call of an operation with an input in one object. */
export function planOperation(
  {
    platform,
    caller,
    op,
  }: { readonly platform: Platform; readonly caller: Caller; readonly op: Operation },
  input: Members,
  options: Members,
): PlannedCall {
  const environment = options["environment"] ?? caller.environment;
  if (!ENVIRONMENTS.includes(environment as EnvironmentName)) {
    return { refusal: "The environment must be production, staging or development." };
  }
  const isDryRun = options["dryRun"] === true && op.kind === "command";
  const chosen = effectiveEnvironment(op, environment as EnvironmentName);
  const { idempotencyKey, ifMatch } = options;
  const { query, ...parts } = splitInput(op, input);
  const call = {
    caller: { ...caller, environment: chosen },
    input: toRawInput(op, { query, ...parts }),
  };
  const isDrastic = async () => !isDryRun && (await isDrasticCall(platform, op, call));
  return {
    question: `${op.summary} in ${chosen}? ${JSON.stringify(input).slice(0, 500)}`,
    isDrastic,
    isDemanded: async (policy) => !isDryRun && demandsApproval(policy, op, isDrastic),
    request: () =>
      invokeOperation(platform, caller, requireOperation(platform, "agent_calls.request"), {
        params: {},
        query: {},
        body: {
          operation: op.id,
          input,
          environment: chosen,
          ...(typeof ifMatch === "string" && { ifMatch }),
        },
        environment: chosen,
        isDryRun: false,
        idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : undefined,
      }),
    run: () =>
      invokeOperation(platform, caller, op, {
        ...parts,
        // An operation with its own dry run has a parameter for it, and no general one.
        query: isDryRun && !supportsDryRun(op) ? { ...query, dryRun: true } : query,
        environment: chosen,
        isDryRun,
        idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : undefined,
        ifMatch: typeof ifMatch === "string" ? ifMatch : undefined,
      }),
  };
}

function requireOperation({ operations }: Platform, id: string): Operation {
  const op = operations.get(id);
  if (!op) throw new Error(`There is no operation ${id}.`);
  return op;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 200) : "";
}
