import Type from "typebox";
import { isPattern, patternSource } from "#kernel/condition/event-pattern.ts";
import {
  EventEnvelope,
  EVENT_ID_PATTERN,
  positionOf,
  toEventEnvelope,
  EventTypeSchema,
} from "#kernel/log/event.ts";
import { visibilityContext, filterEvent, filterEvents } from "#kernel/log/event-visibility.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { findEvent, queryEvents } from "#kernel/log/event-log.ts";
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
    "The audit log is the event log itself. `type` takes patterns such as `audit.*`; `from` is " +
    "inclusive, `to` is not; `after` takes `nextCursor` or the id of an event. What the rules of a " +
    "table hide from you is left out, so that a page may be shorter than `limit`.",
  permission: AuditRead,
  query: object({
    ...pageQuery,
    type: Type.Optional(line(200)),
    actorId: Type.Optional(line(100)),
    resourceType: Type.Optional(line(100)),
    resourceId: Type.Optional(line(100)),
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
  }),
  response: page(EventEnvelope),
  example: { query: { limit: 50, type: "audit.*" } },
  async run(ctx, { query: { limit, after, type, ...filter } }) {
    if (type !== undefined && !isPattern(type))
      throw invalidField("?type", "is not an event pattern");
    const before = after === undefined ? undefined : positionOf(after);
    if (after !== undefined && !before)
      throw invalidField("?after", "is not a cursor of this list");
    const source = type === undefined ? undefined : patternSource(type);
    const found = await queryEvents(ctx.tx, { ...filter, type: source, before }, limit + 1);
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

export const getAuditEvent = query({
  id: "audit.get",
  route: "GET /api/v1/audit/{eventId}",
  summary: "Read one event of the audit log",
  permission: AuditRead,
  params: object({ eventId: Type.String({ pattern: EVENT_ID_PATTERN }) }),
  response: item(EventEnvelope),
  async run(ctx, { params }) {
    const position = positionOf(params.eventId);
    const found = position && (await findEvent(ctx.tx, position));
    const visible =
      found && (await filterEvent(visibilityContext(ctx), ctx.caller.principal, found));
    if (!visible) throw new Failure(NotFound);
    return toEventEnvelope(visible);
  },
});

export const listEventTypes = query({
  id: "event_types.list",
  route: "GET /api/v1/event-types",
  summary: "List every type of event, with the JSON Schema of its data",
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
