import Type, { type Static } from "typebox";
import { type Condition, conditionPaths, hasPath } from "#kernel/condition/condition.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";
import { EventEnvelope, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { mayReadAudit } from "../audit-access.ts";
import { readPastEvents, SCANNED_MAX } from "./past-events.ts";
import { compileSubscription } from "../sending/subscription.ts";
import { subscriptionErrors } from "../webhook-input.ts";
import { subscription } from "../webhook.ts";

const MISSING_MAX = 20;

export const PreviewQuery = object({
  events: subscription.events,
  ...Type.Partial(
    Type.Object({ filter: subscription.filter, environments: subscription.environments }),
  ).properties,
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: "Maximum number of events. Default: 50",
    }),
  ),
});

export const Preview = Type.Object(
  {
    events: Type.Array(EventEnvelope, { description: "Newest first" }),
    missing: Type.Array(
      Type.Object({
        type: Type.String({ description: "The type of the events" }),
        path: Type.String({ description: "The missing path" }),
        count: Type.Integer(),
      }),
      {
        description: `Events that are not sent because a path in the condition is missing, by frequency; at most ${MISSING_MAX}`,
      },
    ),
    scanned: Type.Integer({ description: "Number of examined events" }),
    truncated: Type.Boolean({
      description: `True if there may be more: the \`limit\` was reached, or ${SCANNED_MAX} events were examined`,
    }),
  },
  { title: "Preview" },
);

/** Finds the past events of this environment that such a webhook would have received. */
export async function preview(
  ctx: ReadContext,
  input: Static<typeof PreviewQuery>,
): Promise<Static<typeof Preview>> {
  const { caller } = ctx;
  assertNoErrors(subscriptionErrors(input));
  const { events: patterns, filter = null, environments = null, from, to, limit = 50 } = input;
  const unfiltered = {
    id: "",
    events: patterns,
    environments,
    filter: null,
    hearsAudit: mayReadAudit(caller),
  };
  const isSubscribed = compileSubscription(unfiltered);
  const matches = compileSubscription({ ...unfiltered, filter });
  const missing = new MissingPaths(filter);
  const events: RecordedEvent[] = [];
  let scanned = 0;
  let truncated = false;
  for await (const event of readPastEvents(ctx, { from, to }, [filter])) {
    truncated = events.length === limit;
    if (truncated) break;
    scanned += 1;
    if (!event || !isSubscribed(event)) continue;
    if (matches(event)) events.push(event);
    else missing.note(event);
  }
  truncated ||= scanned === SCANNED_MAX;
  return { events: events.map(toEventEnvelope), missing: missing.list(), scanned, truncated };
}

/** Counts the events that were not sent and lack a path that the condition reads, by type and path. */
class MissingPaths {
  readonly #paths: readonly (readonly string[])[];
  readonly #counts = new Map<string, { type: string; path: string; count: number }>();

  constructor(filter: Condition | null) {
    this.#paths = filter ? conditionPaths(filter) : [];
  }

  note(event: RecordedEvent): void {
    const subject = subjectOf(event);
    for (const words of this.#paths) {
      if (hasPath(subject, words)) continue;
      const [type, path] = [event.type, words.join(".")];
      const key = `${type} ${path}`;
      const known = this.#counts.get(key);
      if (known) known.count += 1;
      else if (this.#counts.size < MISSING_MAX) this.#counts.set(key, { type, path, count: 1 });
    }
  }

  list() {
    return [...this.#counts.values()].toSorted((left, right) => right.count - left.count);
  }
}
