/**
 * The stream that signals changes to the data of an app page. It signals only that data changed: the page reloads
 * it under the access rules of its sources.
 */
import Type from "typebox";
import { openStream, PLATFORM_EVENTS } from "#domains/bus/index.ts";
import { findOpenTable } from "#domains/tables/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { eventStream } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { Unauthenticated } from "#kernel/operation/failure.ts";
import type { DataSource } from "../definition/data-source.ts";
import { openVisitorStream } from "../public/visitor-stream.ts";
import { openAppSession } from "./app-session.ts";
import { appExample, appFails, appParams, appQuery } from "./app-request.ts";

const TICKET = /^(incident|problem|change|request)\./;

export const followApp = query({
  id: "apps.stream",
  route: "GET /apps/{workspace}/{slug}/_live",
  summary: "Stream data changes of a deployed app as server-sent events",
  description:
    "For the pages of the app. Each event is `changed`, without data, and only about data that the user can view. The stream ends after 5 minutes, to check the credential again. In a public app, each IP address can have six streams, with at most one event every five seconds.",
  access: "visitor",
  acceptsToken: true,
  params: object(appParams),
  query: object({
    ...appQuery,
    after: pageQuery.after,
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "For a public app: the time when the page was loaded, in milliseconds. `changed` is sent immediately if data may have changed since then",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Maximum number of events" }),
    ),
  }),
  longRunning: true,
  response: eventStream(),
  fails: [Unauthenticated, ...appFails],
  example: appExample,
  async prepare(platform, { params, query: asked }, caller) {
    const { environment, embed_token: embedToken, after, since, limit } = asked;
    const session = await openAppSession(platform, caller, { ...params, environment, embedToken });
    const { dataSources } = session.served.snapshot;
    const tables = await findTables(platform, session.caller, dataSources);
    const isOfInterest = matchInterest(dataSources, tables);
    if (session.isPublic === true) {
      return openVisitorStream(platform, session.caller, {
        deploymentId: session.served.deploymentId,
        isOfInterest: (frame) => isSignal(frame, isOfInterest),
        since,
        limit,
      });
    }
    const frames = await openStream(platform, session.caller, {
      ...(after !== undefined && { after }),
      name: PLATFORM_EVENTS,
    });
    return toSignals(frames, isOfInterest, limit);
  },
  run: async (_ctx, _input, frames) => frames,
});

/** The tables of these sources, and those that their fields and rules lead to, because lookups change with them. */
async function findTables(
  platform: Platform,
  caller: Caller,
  sources: readonly DataSource[],
): Promise<ReadonlySet<unknown>> {
  const ownTables = new Set(sources.map(({ config }) => config["table"]));
  const tables = new Set<unknown>(ownTables);
  for (const slug of ownTables) {
    if (typeof slug !== "string") continue;
    const table = await findOpenTable({ platform, caller }, slug);
    for (const other of table?.relatedSlugs ?? []) tables.add(other);
  }
  return tables;
}

/** Returns which events change the data of these sources. */
function matchInterest(
  sources: readonly DataSource[],
  tables: ReadonlySet<unknown>,
): (type: string, table: unknown) => boolean {
  const kinds = new Set(sources.map(({ kind }) => kind));
  // The tables of a query or a report are not known here.
  const isAny = kinds.has("query") || kinds.has("report");
  return (type, table) =>
    (type.startsWith("record.") && (isAny || tables.has(table))) ||
    (TICKET.test(type) && (isAny || kinds.has("tickets")));
}

/** Reduces the frames of a stream to signals without content, and drops those that do not affect the app. */
async function* toSignals(
  frames: AsyncIterable<string>,
  isOfInterest: (type: string, table: unknown) => boolean,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let sent = 0;
  for await (const frame of frames) {
    if (typeOf(frame) === undefined) yield frame;
    if (!isSignal(frame, isOfInterest)) continue;
    yield "event: changed\ndata: {}\n\n";
    sent += 1;
    if (sent >= limit) return;
  }
}

function isSignal(frame: string, isOfInterest: (type: string, table: unknown) => boolean): boolean {
  const type = typeOf(frame);
  return type !== undefined && isOfInterest(type, tableOf(frame));
}

/** The type of the event in a frame; undefined if it contains none. */
function typeOf(frame: string): string | undefined {
  return /^event: (.*)$/m.exec(frame)?.[1];
}

/** The table of an event about a record. */
function tableOf(frame: string): unknown {
  const [, text = "{}"] = /^data: (.*)$/m.exec(frame) ?? [];
  const { data } = JSON.parse(text) as { readonly data?: { readonly tableSlug?: unknown } };
  return data?.tableSlug;
}
