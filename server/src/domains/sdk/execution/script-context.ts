/** What a script's `context` does when it leads outside: each call is an operation of the platform. */
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { assertSound } from "#kernel/http/request-body.ts";
import type { Execution, HostMethod } from "#kernel/sandbox/sandbox.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { SecretsUse } from "../permissions.ts";
import { scriptHttpCall } from "./script-http.ts";
import type { CallOperation } from "./call-operation.ts";

export interface ScriptHost {
  readonly platform: Platform;
  readonly workspace: string;
  readonly perform: CallOperation;
  /** Whether whoever wrote the script may use secrets. */
  readonly mayUseSecrets: () => Promise<boolean>;
  /** Gets what takes the secrets that were used out of the results again. */
  readonly scrubbers: Scrubber[];
}

type Serve = (
  surroundings: ScriptHost,
  args: readonly unknown[],
  signal: AbortSignal,
) => Promise<unknown>;

/** Serves the calls of a script. */
export function hostCallsFor(surroundings: ScriptHost): Execution["call"] {
  return async (method, args, signal) => {
    // What a script says is held to what a request is held to, but for what only passes through.
    if (method !== "http.request") assertSound(args, "");
    const said = KEEPING.has(method) ? withoutSecrets(surroundings, args) : args;
    return METHODS[method](surroundings, said, signal);
  };
}

/** What these are given is kept, where many more people read it than may use secrets. */
const KEEPING: ReadonlySet<HostMethod> = new Set([
  "tables.create",
  "tables.update",
  "events.publish",
]);

function withoutSecrets({ scrubbers }: ScriptHost, args: readonly unknown[]): readonly unknown[] {
  return scrubbers.reduce((said, scrubber) => scrubber.scrubJson(said), args);
}

const RECORDS_MAX = 200;

const METHODS: Readonly<Record<HostMethod, Serve>> = {
  "tables.get": async ({ perform }, [slug, id]) =>
    dataOf(await perform("records.get", { params: { slug, recordId: id } })),
  "tables.list": async ({ perform }, [slug, options]) => {
    const { filter, sort, fields, expand, q, limit = RECORDS_MAX } = recordOf(options, "/1");
    const query = {
      ...(filter !== undefined && { filter: JSON.stringify(filter) }),
      ...given({ sort, fields, expand, q }),
      limit: Number(limit),
    };
    return dataOf(await perform("records.list", { params: { slug }, query }));
  },
  "tables.create": async ({ perform }, [slug, body]) =>
    dataOf(await perform("records.create", { params: { slug }, body })),
  "tables.update": async ({ perform }, [slug, id, body]) =>
    dataOf(await perform("records.update", { params: { slug, recordId: id }, body })),
  "tables.delete": async ({ perform }, [slug, id]) => {
    await perform("records.delete", { params: { slug, recordId: id } });
    return null;
  },
  "connectors.invoke": async ({ perform }, [id, action, input = {}]) =>
    dataOf(await perform("connectors.invoke", { params: { id }, body: { action, input } })),
  "events.publish": async ({ perform }, [name, event]) =>
    dataOf(await perform("topics.publish", { params: { name }, body: event })),
  "secrets.get": async ({ platform, workspace, mayUseSecrets, scrubbers }, [name]) => {
    if (typeof name !== "string") throw invalidField("/0", "must be the name of a secret");
    if (!(await mayUseSecrets())) {
      throw new Failure(Forbidden, {
        detail: `Who wrote this script would need the permission ${SecretsUse.name}.`,
      });
    }
    const { values, scrubber } = await platform.secrets.read(workspace, [name]);
    scrubbers.push(scrubber);
    return values.get(name);
  },
  "http.request": ({ platform, workspace }, [request], signal) =>
    scriptHttpCall(platform, { workspace, given: request, signal }),
};

function dataOf(answer: unknown): unknown {
  return (answer as { readonly data: unknown }).data;
}

function recordOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw invalidField(path, "must be an object");
  return value as Readonly<Record<string, unknown>>;
}

/** Those that were given; lists as the query of a list has them. */
function given(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)]),
  );
}

/** The cause of what a script does: one link further in the chain. */
export function causedByExecution(caller: Caller): Caller {
  const { cause } = caller;
  return { ...caller, cause: { ...cause, depth: cause.depth + 1 } };
}
