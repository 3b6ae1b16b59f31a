import { randomBytes } from "node:crypto";
import Type from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { OWN_PATH } from "#kernel/outbound/outbound.ts";
import { publicUrl } from "#kernel/settings.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { created, item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { WebhooksWrite } from "../webhook.ts";
import * as events from "./events.ts";
import * as store from "./store.ts";
import {
  ENDPOINTS_MAX,
  LIFETIME_MS,
  settings,
  TestEndpoint,
  TestEndpointId,
  TestRequest,
  TooManyTestEndpoints,
  toTestEndpointData,
} from "./test-endpoint.ts";

const ById = object({ id: TestEndpointId });
const example = { params: { id: "tep_01jd0000000000000000000000" } };
const LIST = "test endpoints, newest first";
const REQUESTS = "requests of a test endpoint";
const TOKEN_BYTES = 24;
/** Greater than every id, and than every number. */
const AFTER_ALL = "~";
const NUMBER_MAX = 2 ** 31 - 1;

export const createTestEndpoint = command({
  id: "test_endpoints.create",
  effect: "ordinary",
  route: "POST /api/v1/test-endpoints",
  summary: "Create a test endpoint",
  description: `Use a test endpoint to view the requests of webhooks and other HTTP clients. Its \`url\` can't be guessed and expires after one day. The endpoint accepts requests of at most 64 KiB and stores the newest 100 requests. A workspace can have at most ${ENDPOINTS_MAX} test endpoints. Webhooks can send to it although it is a URL of Millrace.`,
  permission: WebhooksWrite,
  body: object(Type.Partial(Type.Object(settings)).properties),
  bodyOptional: true,
  response: created(TestEndpoint, { location: ({ id }) => `/api/v1/test-endpoints/${id}` }),
  emits: [events.TestEndpointCreated],
  fails: [TooManyTestEndpoints],
  example: { body: { name: "Pager test", answerStatus: 200 } },
  async run(ctx, { body: { name = "Test endpoint", answerStatus = 200, answerBody = "" } }) {
    const { tx, now, caller, services } = ctx;
    if ((await store.countLocked(tx, now)) >= ENDPOINTS_MAX) {
      throw new Failure(TooManyTestEndpoints);
    }
    const row = await store.insert(tx, {
      id: newId("tep", now.getTime()),
      name,
      token: randomBytes(TOKEN_BYTES).toString("base64url"),
      answer_status: answerStatus,
      answer_body: answerBody,
      created_by: caller.actor.id,
      created_at: now,
      expires_at: new Date(now.getTime() + LIFETIME_MS),
    });
    const endpoint = toEndpoint(services, row);
    ctx.emit(events.TestEndpointCreated, endpointRef(endpoint), toTestEndpointData(endpoint));
    return endpoint;
  },
});

export const listTestEndpoints = query({
  id: "test_endpoints.list",
  route: "GET /api/v1/test-endpoints",
  summary: "List test endpoints that have not expired, newest first",
  permission: WebhooksWrite,
  query: object(pageQuery),
  response: page(withRevision(TestEndpoint)),
  async run({ tx, now, services }, { query: { limit, after } }) {
    const [start = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, now, { before: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => toEndpoint(services, row),
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

export const getTestEndpoint = query({
  id: "test_endpoints.get",
  route: "GET /api/v1/test-endpoints/{id}",
  summary: "Get a test endpoint",
  permission: WebhooksWrite,
  params: ById,
  response: item(TestEndpoint),
  example,
  run: async ({ tx, now, services }, { params }) =>
    toEndpoint(services, await store.get(tx, params.id, now)),
});

export const updateTestEndpoint = command({
  id: "test_endpoints.update",
  effect: "ordinary",
  route: "PATCH /api/v1/test-endpoints/{id}",
  summary: "Update the response of a test endpoint",
  permission: WebhooksWrite,
  params: ById,
  body: patch(settings),
  response: item(TestEndpoint),
  emits: [events.TestEndpointUpdated],
  example: { ...example, body: { answerStatus: 500 } },
  async run(ctx, { params, body: { name, answerStatus, answerBody } }) {
    const before = toEndpoint(ctx.services, await store.lock(ctx.tx, params.id, ctx.now));
    ctx.expectRevision(before.revision);
    const row = await store.update(ctx.tx, params.id, {
      name,
      answer_status: answerStatus,
      answer_body: answerBody,
    });
    const after = toEndpoint(ctx.services, row);
    const states = diffResource(toTestEndpointData(before), toTestEndpointData(after));
    ctx.emit(events.TestEndpointUpdated, endpointRef(after), states);
    return after;
  },
});

export const deleteTestEndpoint = command({
  id: "test_endpoints.delete",
  route: "DELETE /api/v1/test-endpoints/{id}",
  summary: "Delete a test endpoint and its requests",
  permission: WebhooksWrite,
  params: ById,
  response: noContent(),
  emits: [events.TestEndpointDeleted],
  example,
  async run(ctx, { params }) {
    const endpoint = toEndpoint(ctx.services, await store.lock(ctx.tx, params.id, ctx.now));
    ctx.expectRevision(endpoint.revision);
    await store.remove(ctx.tx, params.id);
    ctx.emit(events.TestEndpointDeleted, endpointRef(endpoint), toTestEndpointData(endpoint));
  },
});

export const listTestRequests = query({
  id: "test_endpoints.list_requests",
  route: "GET /api/v1/test-endpoints/{id}/requests",
  summary: "List requests of a test endpoint, newest first",
  description:
    "Headers and parameters with credentials, and webhook headers with secrets, are `***`.",
  permission: WebhooksWrite,
  params: ById,
  query: object(pageQuery),
  response: page(TestRequest),
  example,
  async run({ tx, now, services }, { params, query: { limit, after } }) {
    await store.get(tx, params.id, now);
    const list = `${REQUESTS} ${params.id}`;
    const [before = NUMBER_MAX] = after === undefined ? [] : services.cursors.decode(list, after);
    const rows = await store.listRequests(tx, params.id, {
      before: Number(before),
      limit: limit + 1,
    });
    return toPage(
      rows,
      limit,
      (request) => request,
      ({ number }) => services.cursors.encode(list, [number]),
    );
  },
});

function toEndpoint(services: PlatformServices, row: store.EndpointRow): TestEndpoint {
  return {
    id: row.id,
    name: row.name,
    answerStatus: row.answer_status,
    answerBody: row.answer_body,
    url: `${publicUrl(services)}${OWN_PATH}${row.token}`,
    received: row.received,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revision: row.revision,
  };
}

function endpointRef({ id, name }: TestEndpoint) {
  return { id, displayName: name };
}
