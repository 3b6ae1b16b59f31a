import Type from "typebox";
import { compilePattern, isPattern, patternSource } from "#kernel/condition/event-pattern.ts";
import {
  EventEnvelope,
  EVENT_ID_PATTERN,
  positionOf,
  toEventEnvelope,
  EventTypeSchema,
} from "#kernel/log/event.ts";
import { visibilityContext, filterEvent, filterEvents } from "#kernel/log/event-visibility.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import {
  findAccountEvent,
  isAccountEventType,
  queryAccountEvents,
} from "#kernel/log/account-log.ts";
import { ResourceNamerPoint } from "#kernel/contributions/causal-tracer.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { findResourceIdsByName } from "#kernel/log/resource-history.ts";
import { findEvent, queryEvents } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { InputTime, line, object } from "#kernel/schema/schema.ts";
import { AuditRead, EventsRead } from "./permissions.ts";

export const queryAudit = query({
  id: "audit.query",
  route: "GET /api/v1/audit",
  summary: "Query the audit log, newest first",
  description:
    "The audit log is the event log. It includes sign-ins and other account events of members, even from the logs of other workspaces. `type` supports patterns such as `audit.*`. `from` is inclusive, `to` is exclusive. `after` takes `nextCursor` or the id of an event. Events that access rules hide from you are omitted, so a page can contain fewer than `limit` events.",
  permission: AuditRead,
  query: object({
    ...pageQuery,
    type: Type.Optional(line(200)),
    actorId: Type.Optional(line(100)),
    resourceType: Type.Optional(line(100)),
    resourceId: Type.Optional(line(100)),
    resource: Type.Optional(
      line(200, "Id, number or part of the name of a resource. Example: `CHG0000001`"),
    ),
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
  }),
  response: page(EventEnvelope),
  example: { query: { limit: 50, type: "audit.*" } },
  async run(ctx, { query: { limit, after, type, resource, ...given } }) {
    const filter = { ...given, ...(resource && (await findResources(ctx, resource))) };
    if (type !== undefined && !isPattern(type))
      throw invalidField("?type", "is not an event pattern");
    const before = after === undefined ? undefined : positionOf(after);
    if (after !== undefined && !before)
      throw invalidField("?after", "is not a valid cursor for this list");
    const source = type === undefined ? undefined : patternSource(type);
    const query = { ...filter, type: source, before };
    const lists = await Promise.all([
      queryEvents(ctx.tx, query, limit + 1),
      !("resourceIds" in filter) && mayBeOfAccounts(ctx, type, filter.resourceType)
        ? queryAccountEvents(ctx.tx, query, limit + 1)
        : [],
    ]);
    const found = lists
      .flat()
      .toSorted((left, right) => (left.id < right.id ? 1 : -1))
      .slice(0, limit + 1);
    const eventPage = toPage(
      found,
      limit,
      (event) => event,
      ({ id }) => id,
    );
    const visible = await filterEvents(
      visibilityContext(ctx),
      ctx.caller.principal,
      eventPage.data,
    );
    return { ...eventPage, data: visible.map(toEventEnvelope) };
  },
});

/** Finds resources by an id, a number or a part of a name. */
async function findResources(ctx: ReadContext, name: string) {
  if (RESOURCE_ID.test(name)) return { resourceId: name };
  const namers = contributionsTo(ResourceNamerPoint, ctx.services.contributions);
  for (const find of namers) {
    const found = await find(ctx, name.toUpperCase());
    if (found !== undefined) return { resourceId: found };
  }
  return { resourceIds: await findResourceIdsByName(ctx.tx, name) };
}

const RESOURCE_ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/** False if no account event can match the query, which is usual and saves the search. */
function mayBeOfAccounts(
  { services }: Pick<ReadContext, "services">,
  pattern: string | undefined,
  resourceType: string | undefined,
): boolean {
  const matches = pattern === undefined ? () => true : compilePattern([pattern]);
  return services.eventTypes.some(
    ({ type, resource }) =>
      isAccountEventType(type) &&
      matches(type) &&
      (resourceType === undefined || resource === resourceType),
  );
}

export const getAuditEvent = query({
  id: "audit.get",
  route: "GET /api/v1/audit/{eventId}",
  summary: "Get an event of the audit log",
  permission: AuditRead,
  params: object({ eventId: Type.String({ pattern: EVENT_ID_PATTERN }) }),
  response: item(EventEnvelope),
  async run(ctx, { params }) {
    const position = positionOf(params.eventId);
    const found =
      position &&
      ((await findEvent(ctx.tx, position)) ?? (await findAccountEvent(ctx.tx, position)));
    const visible =
      found && (await filterEvent(visibilityContext(ctx), ctx.caller.principal, found));
    if (!visible) throw new Failure(NotFound);
    return toEventEnvelope(visible);
  },
});

export const listEventTypes = query({
  id: "event_types.list",
  route: "GET /api/v1/event-types",
  summary: "List event types and their JSON Schemas",
  permission: EventsRead,
  query: object({
    ...pageQuery,
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
  }),
  response: page(EventTypeSchema),
  async run({ services }, { query: { limit, after } }) {
    const start =
      after === undefined ? "" : String(services.cursors.decode("event types", after)[0]);
    const rows = services.eventTypes.filter(({ type }) => type > start).slice(0, limit + 1);
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ type }) => services.cursors.encode("event types", [type]),
    );
  },
});
