import Type from "typebox";
import { type Caller, partitionOfCaller, userIdOf } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  Presence,
  PresenceFull,
  PresenceInput,
  PresenceShare,
  ThingId,
  ThingIds,
  toPresence,
} from "./presence.ts";
import { PRESENCE_CHANGE } from "./presence-watch.ts";
import * as store from "./store.ts";
import { assertMayRead, mayRead } from "./thing-access.ts";

const ByThing = object({ thing: ThingId });
const example = { params: { thing: "wf_01jd0000000000000000000000" } };
/** Presence has no revisions, so a conditional request never matches. */
const NO_REVISION = -1;

export const putPresence = command({
  id: "presence.put",
  route: "PUT /api/v1/presence/{thing}",
  summary: "Set presence",
  description:
    "Reports that you view or edit a resource. Valid for 30 seconds: send it again every 10 seconds. Returns everyone who is present. Changes are sent on `topics.stream` with `presence=true` while you are present. Requires permission to view the resource. Presence is not written to the event log.",
  permission: PresenceShare,
  params: ByThing,
  body: object(PresenceInput),
  ephemeral: true,
  emits: [],
  response: item(Presence),
  fails: [PresenceFull],
  example: { ...example, body: { state: "editing", at: "greet" } },
  prepare: (platform, { params }, caller) => assertMayRead(platform, caller, params.thing),
  async run(ctx, { params: { thing }, body: { state, at = null } }) {
    const { tx, now, caller, services } = ctx;
    ctx.expectRevision(NO_REVISION);
    const name = caller.credential?.user.name ?? caller.actor.name;
    const outcome = await store.put(tx, { ...toPresenceKey(caller, thing), name, state, at, now });
    if (outcome === "full") throw new Failure(PresenceFull);
    if (outcome === "changed") ctx.onCommit(() => services.wakeSignal.raise(PRESENCE_CHANGE));
    return readPresence(ctx, thing);
  },
});

export const getPresence = query({
  id: "presence.get",
  route: "GET /api/v1/presence/{thing}",
  summary: "List users present at a resource",
  description: "One entry per user, longest presence first.",
  permission: PresenceShare,
  params: ByThing,
  response: item(Presence),
  example,
  prepare: (platform, { params }, caller) => assertMayRead(platform, caller, params.thing),
  run: (ctx, { params: { thing } }) => readPresence(ctx, thing),
});

export const listPresence = query({
  id: "presence.list",
  route: "GET /api/v1/presence",
  summary: "List users present at several resources",
  description:
    "For lists with presence indicators. Returns only resources with present users that you can view.",
  permission: PresenceShare,
  query: object({ things: ThingIds }),
  response: item(Type.Object({ things: Type.Array(Presence) }, { title: "PresenceList" })),
  example: { query: { things: "inc_01jd0000000000000000000000,inc_01jd0000000000000000000001" } },
  async prepare(platform, { query: { things } }, caller) {
    const now = platform.clock.now();
    const sessions = await platform.db.read(partitionOfCaller(caller), (tx) =>
      store.listSessionsAt(tx, things.split(","), now),
    );
    const present = [...Map.groupBy(sessions, ({ thing }) => thing)];
    // Few of them are in use at a time, so few access checks are needed.
    const readable = await Promise.all(
      present.map(async ([thing]) => mayRead(platform, caller, thing)),
    );
    const seen = present.filter((_, n) => readable[n]);
    return { things: seen.map(([thing, at]) => toPresence(thing, at, userIdOf(caller))) };
  },
  run: async (_ctx, _input, prepared) => prepared,
});

export const leavePresence = command({
  id: "presence.leave",
  route: "DELETE /api/v1/presence/{thing}",
  summary: "Clear presence",
  description: "Presence that is not renewed expires after 30 seconds.",
  permission: PresenceShare,
  params: ByThing,
  ephemeral: true,
  emits: [],
  response: noContent(),
  example,
  prepare: (platform, { params }, caller) => assertMayRead(platform, caller, params.thing),
  async run(ctx, { params: { thing } }) {
    ctx.expectRevision(NO_REVISION);
    const { wakeSignal } = ctx.services;
    if (await store.remove(ctx.tx, toPresenceKey(ctx.caller, thing)))
      ctx.onCommit(() => wakeSignal.raise(PRESENCE_CHANGE));
  },
});

function toPresenceKey(caller: Caller, thing: string): store.PresenceKey {
  return { thing, userId: userIdOf(caller), sessionId: caller.credential?.id ?? "" };
}

async function readPresence({ tx, now, caller }: ReadContext, thing: string): Promise<Presence> {
  return toPresence(thing, await store.listSessions(tx, thing, now), userIdOf(caller));
}
