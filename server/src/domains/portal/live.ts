/**
 * The stream that signals outdated portal pages. It signals only that data of the visitor changed: the page reloads
 * it with its own access checks.
 */
import Type from "typebox";
import { openStream, PLATFORM_EVENTS } from "#domains/bus/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { eventStream } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { PortalUse } from "./permissions.ts";

/** The events that affect a visitor's pages. */
const OWN = /^(incident|request)\./;
/** An outage is shown to all visitors, although its ticket is not theirs. */
const OUTAGES: ReadonlySet<string> = new Set([
  "incident.broadcast",
  "incident.major_declared",
  "incident.major_ended",
]);

export const followPortal = query({
  id: "portal.stream",
  route: "GET /api/v1/portal/stream",
  summary: "Stream changes of the portal as server-sent events",
  description:
    "Each event is `changed`, without data: one of your tickets or an outage changed. The stream ends after 5 " +
    "minutes to check the credential again.",
  permission: PortalUse,
  environmentScoped: true,
  query: object({
    after: pageQuery.after,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Number of events after which the stream ends",
      }),
    ),
  }),
  longRunning: true,
  response: eventStream(),
  async prepare(platform, { query: { after, limit } }, caller) {
    const frames = await openStream(platform, caller, {
      ...(after !== undefined && { after }),
      name: PLATFORM_EVENTS,
      alsoTold: ({ type }) => OUTAGES.has(type),
    });
    return toSignals(frames, limit);
  },
  run: async (_ctx, _input, frames) => frames,
});

/** Reduces the frames of a stream to their ids, and drops those that no page shows. */
async function* toSignals(
  frames: AsyncIterable<string>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let sent = 0;
  for await (const frame of frames) {
    const [, type] = /^event: (.*)$/m.exec(frame) ?? [];
    if (type === undefined) yield frame;
    if (type === undefined || !OWN.test(type)) continue;
    yield "event: changed\ndata: {}\n\n";
    sent += 1;
    if (sent >= limit) return;
  }
}
