import Type, { type Static } from "typebox";
import { holdsPermission } from "#kernel/access/permission.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { CausalTracerPoint } from "#kernel/contributions/causal-tracer.ts";
import { readCausalChain } from "#kernel/log/causal-chain.ts";
import { EventEnvelope, EVENT_ID_PATTERN, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import { visibilityContext, filterEvent, filterEvents } from "#kernel/log/event-visibility.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Time } from "#kernel/schema/schema.ts";

const EVENTS_MAX = 1_000;
const EFFECTS_MAX = 1_000;

const EventId = Type.String({ pattern: EVENT_ID_PATTERN });

const Effect = Type.Object(
  {
    kind: Type.String(),
    id: Type.String(),
    causationId: EventId,
    status: Type.String(),
    summary: Type.String(),
    createdAt: Time,
  },
  { title: "Effect" },
);

export const Trace = Type.Object(
  {
    rootId: EventId,
    correlationId: Type.String(),
    events: Type.Array(EventEnvelope),
    effects: Type.Array(Effect),
    truncated: Type.Boolean({ description: "Whether there are more" }),
  },
  { title: "Trace" },
);

/** Reads the causal chain of an event from its root, with the effects of its events. */
export async function readTrace(ctx: ReadContext, eventId: string): Promise<Static<typeof Trace>> {
  const { tx, services, caller } = ctx;
  const position = positionOf(eventId);
  const event = position && (await findEvent(tx, position));
  const here = visibilityContext(ctx);
  const visible = event && (await filterEvent(here, caller.principal, event));
  if (!visible) throw new Failure(NotFound);
  const { events: all, truncated, ...chain } = await readCausalChain(tx, event, EVENTS_MAX);
  const events = await filterEvents(here, caller.principal, all);
  const ids = events.map(({ id }) => id);
  const effects: Static<typeof Effect>[] = [];
  const tracers = contributionsTo(CausalTracerPoint, services.contributions).filter(
    ({ permission }) => !permission || holdsPermission(caller.permissions, permission),
  );
  for (const { kind, find } of tracers) {
    effects.push(...(await find(tx, ids)).map((found) => ({ kind, ...found })));
  }
  effects.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  return {
    ...chain,
    events: events.map(toEventEnvelope),
    effects: effects.slice(0, EFFECTS_MAX),
    truncated: truncated || effects.length > EFFECTS_MAX,
  };
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
