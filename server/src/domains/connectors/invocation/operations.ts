import Type from "typebox";
import { executor, StepFailure } from "#domains/runs/index.ts";
import { connector } from "#domains/workflows/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page, type ResponseType } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import {
  CircuitOpen,
  Connector,
  ConnectorId,
  NothingToRefresh,
  ServerMoved,
  connectorRef,
  CONNECTOR_STATUSES,
  UnknownAction,
} from "../connector.ts";
import { NoCredentialsHere } from "../environments/environment-credentials.ts";
import * as events from "../events.ts";
import { ConnectorsInvoke, ConnectorsRead, ConnectorsWrite } from "../permissions.ts";
import { ConsentRevoked, NotAuthorized } from "../consent/granted-token.ts";
import { connectors, refreshActions } from "../resource.ts";
import { connectorStore } from "../store.ts";
import type { TestAnswer } from "../types/connector-type.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { UpstreamFailed, UpstreamTimedOut } from "../upstream/upstream-error.ts";
import { record, recordTest } from "./circuit-breaker.ts";
import { invoke, type InvocationRecord } from "./invoke.ts";
import { ConnectorRateLimited } from "./rate-limit.ts";
import { ActionDescription, listActionsAfter } from "./list-actions.ts";
import { openConnection } from "./open-connection.ts";
import { runAttempt, outcomeFields } from "./outcome.ts";

/** Tests a connection once, regardless of the circuit breaker. */
export async function testConnection(
  platform: Platform,
  caller: Caller,
  id: string,
): Promise<InvocationRecord & { readonly isElsewhere: boolean }> {
  const stored = await platform.db.read(partitionOfCaller(caller), (tx) =>
    connectorStore.get(tx, id),
  );
  const type = connectorTypeOf(stored.type);
  const connection = await openConnection(platform, caller, stored, { retries: 0 });
  try {
    const outcome = await runAttempt((): Promise<TestAnswer> => type.test(connection as never));
    return { connector: stored, outcome, isElsewhere: connection.isElsewhere };
  } finally {
    connection.deadline.stop();
  }
}

const ById = object({ id: ConnectorId });
const example = { params: { id: "con_01jd0000000000000000000000" } };
const ACTIONS = "actions of a connector";

/** The format of an `Idempotency-Key` that upstreams receive. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export const listActions = query({
  id: "connectors.actions",
  route: "GET /api/v1/connectors/{id}/actions",
  summary: "List actions of a connector by name",
  description:
    "Returns the actions from the connector type, the OpenAPI document and SDK artifacts.",
  permission: ConnectorsRead,
  params: ById,
  query: object(pageQuery),
  response: page(ActionDescription),
  example,
  async run(ctx, { params, query: { limit, after } }) {
    const { cursors } = ctx.services;
    const list = `${ACTIONS} ${params.id}`;
    const [start = ""] = after === undefined ? [] : cursors.decode(list, after);
    const rows = await listActionsAfter(ctx, params.id, { after: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (action) => action,
      ({ name }) => cursors.encode(list, [name]),
    );
  },
});

/** The output of the action. It is foreign data, so none of it becomes a header. */
const output: ResponseType<unknown> = {
  status: 200,
  body: Type.Object({ data: Type.Unknown({ description: "Output of the action" }) }),
  wrap: (data) => ({ data }),
  headers: () => ({}),
};

export const invokeConnector = command({
  id: "connectors.invoke",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/connectors/{id}/invoke",
  summary: "Invoke an action of a connector",
  description:
    "`data` is the output of the action; for HTTP: `{ status, headers, body }`. If the other system rejects the call or fails, the response is 502 with its status in `upstreamStatus` and the start of its response in `upstreamBody`; after `timeoutMs` it is 504. After five consecutive failures (5xx, 429, no response, no connection) the circuit breaker is open: 503 with `Retry-After`. After 30 s, one call is allowed. Credentials are removed from all output. `idempotencyKey` is sent to HTTP APIs as `Idempotency-Key`; the header of the same name prevents repeated requests.",
  environmentScoped: true,
  permission: ConnectorsInvoke,
  params: ById,
  body: object({
    action: line(300),
    input: Type.Optional(
      Type.Unknown({ description: "Input according to the schema of the action. Default: `{}`" }),
    ),
    idempotencyKey: Type.Optional(Type.String({ pattern: IDEMPOTENCY_KEY.source, maxLength: 255 })),
  }),
  response: output,
  emits: [events.ConnectorInvoked, events.ConnectorStatusChanged],
  fails: [
    UnknownAction,
    UnknownSecret,
    UpstreamFailed,
    UpstreamTimedOut,
    CircuitOpen,
    ConnectorRateLimited,
    NoCredentialsHere,
    NotAuthorized,
    ConsentRevoked,
  ],
  example: {
    ...example,
    body: { action: "request", input: { method: "GET", path: "/users", query: { limit: 10 } } },
  },
  prepare: (platform, { params, body }, caller) =>
    invoke(platform, caller, params.id, { ...body, input: body.input ?? {} }),
  async run(ctx, { body }, { connector: invoked, outcome }) {
    const { id: connectorId } = invoked;
    const data = { connectorId, action: body.action, ...outcomeFields(outcome) };
    ctx.emit(events.ConnectorInvoked, connectorRef(invoked), data);
    await record(ctx, invoked, outcome.evidence);
    return "failure" in outcome ? outcome.failure : outcome.output;
  },
});

const TestResult = Type.Object(
  {
    ok: Type.Boolean(),
    status: Type.Enum([...CONNECTOR_STATUSES], { description: "New status of the connector" }),
    latencyMs: Type.Integer(),
    upstreamStatus: nullable(Type.Integer()),
    error: nullable(Type.String()),
  },
  { title: "ConnectorTest" },
);

export const testConnector = command({
  id: "connectors.test",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/connectors/{id}/test",
  summary: "Test the connection of a connector",
  description:
    "Ignores the circuit breaker. For HTTP it requests `testPath`, for GraphQL the schema type, for a database the value 1, for a mail server a sign-in, for Slack the own identity. If the test fails, `ok` is false and `error` is set.",
  environmentScoped: true,
  permission: ConnectorsWrite,
  params: ById,
  response: item(TestResult),
  emits: [events.ConnectorTested, events.ConnectorStatusChanged],
  fails: [UnknownSecret, NotAuthorized, ConsentRevoked, NoCredentialsHere],
  example,
  prepare: (platform, { params }, caller) => testConnection(platform, caller, params.id),
  async run(ctx, _input, { connector: invoked, outcome, isElsewhere }) {
    const fields = outcomeFields(outcome);
    ctx.emit(events.ConnectorTested, connectorRef(invoked), { connectorId: invoked.id, ...fields });
    const error = "failure" in outcome ? outcome.failure.message : null;
    // The staging server says nothing about the production status, which all environments share.
    const { status } = isElsewhere
      ? invoked
      : error === null
        ? await record(ctx, invoked, { is: "up" })
        : await recordTest(ctx, invoked, error);
    const { ok, upstreamStatus, durationMs: latencyMs } = fields;
    return { ok, status, latencyMs, upstreamStatus, error };
  },
});

export const refreshConnector = command({
  id: "connectors.refresh",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/connectors/{id}/refresh",
  summary: "Reload the OpenAPI document of a connector",
  description:
    "Loads the document from the `url` of its configuration and replaces the actions. If the document contains another server, nothing changes, because the credentials belong to the previous server.",
  permission: ConnectorsWrite,
  params: ById,
  response: item(Connector),
  emits: [connectors.events.updated],
  fails: [NothingToRefresh, ServerMoved],
  example,
  async prepare(platform, { params }, caller) {
    const stored = await platform.db.read(partitionOfCaller(caller), (tx) =>
      connectorStore.get(tx, params.id),
    );
    const { documented } = connectorTypeOf(stored.type);
    const discovered = await documented?.discover(platform, stored.config as never);
    if (!discovered) throw new Failure(NothingToRefresh);
    return { stored, discovered };
  },
  run: (ctx, _input, { stored, discovered }) => refreshActions(ctx, stored, discovered),
});

/** A step that invokes an action with the rights of the run. */
export const connectorStep = executor({
  type: connector,
  async run({ connectorId, action, input }, { perform, idempotencyKey }) {
    const answer = await perform("connectors.invoke", {
      params: { id: connectorId },
      body: {
        action,
        idempotencyKey: toIdempotencyKey(idempotencyKey),
        ...(input !== undefined && { input }),
      },
    }).catch(postpone);
    return { output: (answer as { readonly data: unknown }).data };
  },
});

/** Converts a rate limit to a wait: it does not count as a failed attempt. */
function postpone(error: unknown): never {
  if (!(error instanceof StepFailure)) throw error;
  const { code, message, particulars } = error;
  const { status, retryAfterMs, body } = particulars;
  if (status !== 429 || retryAfterMs === undefined) throw error;
  const { retryAfterMs: exactMs } = Object(body) as { readonly retryAfterMs?: unknown };
  throw new StepFailure(code, message, {
    ...particulars,
    retryAfterMs: typeof exactMs === "number" ? exactMs : retryAfterMs,
    postponed: true,
  });
}

/** Hashes the key if it is too long for a header: the path of a step in loops may be. */
export function toIdempotencyKey(key: string): string {
  return IDEMPOTENCY_KEY.test(key) ? key : sha256(key).toString("base64url");
}
