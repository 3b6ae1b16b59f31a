import { type Caller, userIdOf } from "#kernel/access/caller.ts";
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
  toPresence,
} from "./presence.ts";
import { PRESENCE_CHANGE } from "./presence-watch.ts";
import * as store from "./store.ts";
import { assertMayRead } from "./thing-access.ts";

const ByThing = object({ thing: ThingId });
const example = { params: { thing: "wf_01jd0000000000000000000000" } };
/** Presence has no revisions: a condition on one is never met. */
const NO_REVISION = -1;

export const putPresence = command({
  id: "presence.put",
  route: "PUT /api/v1/presence/{thing}",
  summary: "Say that you look at or edit something",
  description:
    "It is kept for 30 seconds: send it again every 10. The answer is who is there. Changes reach you on " +
    "`topics.stream` with `presence=true`, as long as you are there yourself. It needs the right to read the " +
    "thing. Nothing of it is in the log.",
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
  summary: "See who looks at or edits something",
  description: "One entry for each person, who has been there longest first.",
  permission: PresenceShare,
  params: ByThing,
  response: item(Presence),
  example,
  prepare: (platform, { params }, caller) => assertMayRead(platform, caller, params.thing),
  run: (ctx, { params: { thing } }) => readPresence(ctx, thing),
});

export const leavePresence = command({
  id: "presence.leave",
  route: "DELETE /api/v1/presence/{thing}",
  summary: "Say that you have left something",
  description: "Whoever just stops renewing is gone after 30 seconds.",
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
