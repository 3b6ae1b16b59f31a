import Type from "typebox";
import type { RawRequest } from "#kernel/access/caller.ts";
import { Failure, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import { CREDENTIAL_NAME, MASK } from "../header.ts";
import * as store from "./store.ts";
import { REQUEST_BYTES_MAX, REQUESTS_A_MINUTE_MAX, REQUESTS_MAX } from "./test-endpoint.ts";

/** A signature is not secret: it cannot be used to create another one. */
const SIGNATURE_NAME = /signature/i;

const EndpointFull = failure(
  "test_endpoint_full",
  410,
  `The test endpoint has reached its limit of ${REQUESTS_MAX} requests. Create another one.`,
);

/**
 * Receives a request for a test endpoint. It is ephemeral (ADR 0074): unauthenticated requests write nothing to the
 * log, and expire.
 */
export const receiveRequest = command({
  id: "test_endpoints.receive",
  route: "POST /listen/{token}",
  aliases: [
    "GET /listen/{token}",
    "PUT /listen/{token}",
    "PATCH /listen/{token}",
    "DELETE /listen/{token}",
  ],
  summary: "Send a request to a test endpoint",
  description:
    "Accepts any method, and returns the configured response. At most 120 requests per minute, and 2,000 in total. An expired endpoint returns 404.",
  access: "public",
  readsRequest: true,
  ephemeral: true,
  bodyBytesMax: REQUEST_BYTES_MAX,
  params: object({ token: line(64) }),
  emits: [],
  response: {
    ...rawResponse<RawResponse>(Type.Unknown(), "Response configured by its owner."),
    status: 200,
  },
  fails: [NotFound, RateLimited, EndpointFull],
  example: { params: { token: "q2V5b3UgZm91bmQgaXQgb3V0" } },
  async prepare({ db, clock, rateLimit }, { params }, { request }) {
    if (!request) throw new Error("A request came without itself.");
    const endpoint = await store.findByToken(db, params.token, clock.now());
    if (!endpoint) throw new Failure(NotFound);
    rateLimit.assert(`test endpoint ${endpoint.id}`, REQUESTS_A_MINUTE_MAX);
    if (endpoint.received >= REQUESTS_MAX) throw new Failure(EndpointFull);
    return { endpoint, request };
  },
  async run(ctx, _input, { endpoint, request }) {
    ctx.switchPartition({ workspace: endpoint.workspace_id, environment: "production" });
    const { method, bytes, headers, query } = request;
    const hidden = await store.listSecretHeaders(ctx.tx);
    const answered = endpoint.answer_status;
    const stored = {
      method,
      query: maskValues(textsOf(query), new Set()),
      headers: maskValues(headers, hidden),
      body: bytes.toString("utf8").replaceAll("\0", "\uFFFD"),
      bytes: bytes.length,
      answered,
    };
    await store.insertRequest(ctx.tx, endpoint.id, stored, ctx.now);
    return {
      status: answered,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: endpoint.answer_body,
    };
  },
});

function maskValues(
  values: Readonly<Record<string, string>>,
  hidden: ReadonlySet<string>,
): Record<string, string> {
  const isSecret = (name: string): boolean =>
    hidden.has(name) || (CREDENTIAL_NAME.test(name) && !SIGNATURE_NAME.test(name));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name) ? MASK : value]),
  );
}

function textsOf(query: RawRequest["query"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

const DELETE_EXPIRED = `
  delete from test_endpoints e
   where e.id = any (array(select o.id from test_endpoints o where o.expires_at < $1 limit $2))`;

/** Deletes expired endpoints and their requests. */
export const endpointRetentionJob = retentionJob({
  kind: "webhooks.prune_test_endpoints",
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, DELETE_EXPIRED, [clock.now(), rowsMax]),
});
