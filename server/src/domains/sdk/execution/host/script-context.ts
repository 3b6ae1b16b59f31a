/** The host calls of a script's `context`. Most are operations of the platform. */
import { readVariables } from "#domains/variables/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { toIdempotencyKey } from "#domains/connectors/index.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { assertStorable } from "#kernel/http/request-body.ts";
import type { Execution, HostMethod } from "#kernel/sandbox/sandbox.ts";
import type { SecretUser } from "#kernel/secrets/secrets.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import type { ScriptFiles } from "./script-files.ts";
import { scriptHttpCall } from "./script-http.ts";
import { type CallOperation, dataOfResponse } from "#kernel/operation/call-operation.ts";

export interface ScriptHost {
  readonly platform: Platform;
  readonly partition: Partition;
  readonly perform: CallOperation;
  /** The permissions of the script's author, for its secrets and variables. */
  readonly secretUser: SecretUser;
  /** Equal for all attempts of a step. External calls derive their keys from it. */
  readonly idempotencyKey?: string | undefined;
  /** The files of its step. */
  readonly files: ScriptFiles;
  /** Collects a scrubber for each used secret. */
  readonly scrubbers: Scrubber[];
}

type HostMethodHandler = (
  host: ScriptHost,
  args: readonly unknown[],
  signal: AbortSignal,
) => Promise<unknown>;

/** Dispatches the host calls of a script. */
export function hostCallsFor(host: ScriptHost): Execution["call"] {
  let calls = 0;
  return async (method, args, signal) => {
    // Arguments are limited like request bodies, except those that are only passed on.
    if (method !== "http.request" && method !== "files.append") assertStorable(args, "");
    const scrubbed = STORING_METHODS.has(method) ? scrubSecrets(host, args) : args;
    calls += 1;
    const key = host.idempotencyKey && `${host.idempotencyKey}:${calls}`;
    return HANDLERS[method]({ ...host, idempotencyKey: key }, scrubbed, signal);
  };
}

/** Methods that store their arguments, which more users can read than can use secrets. */
const STORING_METHODS: ReadonlySet<HostMethod> = new Set([
  "tables.create",
  "tables.update",
  "events.publish",
]);

function scrubSecrets({ scrubbers }: ScriptHost, args: readonly unknown[]): readonly unknown[] {
  return scrubbers.reduce((scrubbed, scrubber) => scrubber.scrubJson(scrubbed), args);
}

const RECORDS_MAX = 200;

const HANDLERS: Readonly<Record<HostMethod, HostMethodHandler>> = {
  "tables.get": async ({ perform }, [slug, id]) =>
    dataOfResponse(await perform("records.get", { params: { slug, recordId: id } })),
  "tables.list": async ({ perform }, [slug, options]) => {
    const { filter, sort, fields, expand, q, limit = RECORDS_MAX } = parseOptions(options, "/1");
    const query = {
      ...(filter !== undefined && { filter: JSON.stringify(filter) }),
      ...toListQuery({ sort, fields, expand, q }),
      limit: Number(limit),
    };
    return dataOfResponse(await perform("records.list", { params: { slug }, query }));
  },
  "tables.create": async ({ perform }, [slug, body]) =>
    dataOfResponse(await perform("records.create", { params: { slug }, body })),
  "tables.update": async ({ perform }, [slug, id, body]) =>
    dataOfResponse(await perform("records.update", { params: { slug, recordId: id }, body })),
  "tables.delete": async ({ perform }, [slug, id]) => {
    await perform("records.delete", { params: { slug, recordId: id } });
    return null;
  },
  "connectors.invoke": async ({ perform, idempotencyKey }, [id, action, input = {}]) => {
    const key = idempotencyKey && { idempotencyKey: toIdempotencyKey(idempotencyKey) };
    const body = { action, input, ...key };
    return dataOfResponse(await perform("connectors.invoke", { params: { id }, body }));
  },
  "events.publish": async ({ perform }, [name, event]) =>
    dataOfResponse(await perform("topics.publish", { params: { name }, body: event })),
  "secrets.get": async ({ platform, partition, secretUser, scrubbers }, [name]) => {
    if (typeof name !== "string") throw invalidField("/0", "must be the name of a secret");
    const { values, scrubber } = await platform.secrets.read(partition, [name], secretUser);
    scrubbers.push(scrubber);
    return values.get(name);
  },
  "variables.get": async ({ platform, partition, secretUser }, [name]) => {
    if (typeof name !== "string") throw invalidField("/0", "must be the name of a variable");
    return (await readVariables(platform, partition, [name], secretUser))[name];
  },
  "http.request": (
    { platform, partition: { workspace }, idempotencyKey, files },
    [request],
    signal,
  ) => scriptHttpCall(platform, { workspace, input: request, signal, idempotencyKey, files }),
  "files.read": ({ files }, [file, options]) => files.read(file, options),
  "files.create": ({ files }, [name]) => files.create(name),
  "files.append": ({ files }, [writer, content]) => files.append(writer, content),
  "files.close": ({ files }, [writer]) => files.close(writer),
};

function parseOptions(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw invalidField(path, "must be an object");
  return value as Readonly<Record<string, unknown>>;
}

/** Converts options to query parameters. Arrays are joined by commas. */
function toListQuery(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)]),
  );
}

/** Extends the causal chain by one level for the operations called by a script. */
export function causedByExecution(caller: Caller, executionId: string): Caller {
  const { cause } = caller;
  return {
    ...caller,
    cause: { ...cause, depth: cause.depth + 1, madeBy: { id: executionId } },
  };
}
