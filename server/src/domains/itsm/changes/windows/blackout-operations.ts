import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import { diffResource } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, noContent, item } from "#kernel/operation/response.ts";
import { id, object, patch } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../../tickets/index.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import {
  BlackoutCreated,
  BlackoutDeleted,
  BlackoutUpdated,
  BlackoutWindow,
  blackoutEventData,
  blackoutFields,
  blackoutRef,
} from "./blackout.ts";
import * as store from "./blackout-store.ts";
import { assertOrder, parseMoment } from "./window.ts";

const ById = object({ id: id("bwn") });
const PATH = "/api/v1/itsm/blackout-windows";
const example = { params: { id: "bwn_01jzt3n5k8q2x4v6w8y0z2b4d6" } };
const freeze = {
  name: "Year-end freeze",
  start: "2026-12-20T00:00:00Z",
  end: "2027-01-04T00:00:00Z",
  reason: "The books are closed",
};

export const listBlackouts = query({
  id: "blackout_windows.list",
  route: `GET ${PATH}`,
  summary: "List the blackout windows, the latest first",
  permission: ChangesRead,
  query: object(listQuery),
  response: countedPage(BlackoutWindow),
  run: (ctx, { query: page }) =>
    listPage(ctx, store.blackoutList, page, { toItem: store.toWindow }),
});

export const createBlackout = command({
  id: "blackout_windows.create",
  route: `POST ${PATH}`,
  summary: "Set a time in which nothing is changed",
  description:
    "Changes that are planned into it show it among their conflicts, and can't begin in it: " +
    "`implement` answers 409 `change_blackout`, but for emergencies.",
  permission: ChangesApprove,
  body: object({
    ...blackoutFields,
    ciIds: Type.Optional(blackoutFields.ciIds),
    reason: Type.Optional(blackoutFields.reason),
  }),
  response: created(BlackoutWindow, { location: (window) => `${PATH}/${window.id}` }),
  emits: [BlackoutCreated],
  example: { body: freeze },
  async run(ctx, { body }) {
    const now = ctx.now.toISOString();
    const window: BlackoutWindow = {
      id: newId("bwn", ctx.now.getTime()),
      name: body.name,
      start: parseMoment("/start", body.start),
      end: parseMoment("/end", body.end),
      ciIds: [...new Set(body.ciIds)],
      reason: body.reason ?? "",
      createdBy: authorOf(ctx.caller),
      createdAt: now,
      updatedAt: now,
      revision: 1,
    };
    assertOrder("/end", window.start, window.end);
    await assertReferencesExist(ctx, { ciIds: window.ciIds });
    await store.insert(ctx.tx, window);
    ctx.emit(BlackoutCreated, blackoutRef(window), blackoutEventData(window));
    return window;
  },
});

export const getBlackout = query({
  id: "blackout_windows.get",
  route: `GET ${PATH}/{id}`,
  summary: "Read a blackout window",
  permission: ChangesRead,
  params: ById,
  response: item(BlackoutWindow),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateBlackout = command({
  id: "blackout_windows.update",
  route: `PATCH ${PATH}/{id}`,
  summary: "Change a blackout window",
  permission: ChangesApprove,
  params: ById,
  body: patch(blackoutFields),
  response: item(BlackoutWindow),
  emits: [BlackoutUpdated],
  allowNoop: true,
  example: { ...example, body: { end: "2027-01-06T00:00:00Z" } },
  async run(ctx, { params, body: { start, end, ciIds, ...rest } }) {
    const before = await store.lock(ctx.tx, params.id);
    ctx.expectRevision(before.revision);
    const after: BlackoutWindow = {
      ...before,
      ...rest,
      ...(start !== undefined && { start: parseMoment("/start", start) }),
      ...(end !== undefined && { end: parseMoment("/end", end) }),
      ...(ciIds && { ciIds: [...new Set(ciIds)] }),
      revision: before.revision + 1,
      updatedAt: ctx.now.toISOString(),
    };
    assertOrder("/end", after.start, after.end);
    const diff = diffResource(blackoutEventData(before), blackoutEventData(after));
    if (diff.changes.length === 0) return before;
    await assertReferencesExist(ctx, { ciIds: ciIds ? after.ciIds : [] });
    await store.save(ctx.tx, after);
    ctx.emit(BlackoutUpdated, blackoutRef(after), diff);
    return after;
  },
});

export const deleteBlackout = command({
  id: "blackout_windows.delete",
  route: `DELETE ${PATH}/{id}`,
  summary: "Lift a blackout window",
  permission: ChangesApprove,
  params: ById,
  response: noContent(),
  emits: [BlackoutDeleted],
  example,
  async run(ctx, { params }) {
    const window = await store.lock(ctx.tx, params.id);
    ctx.expectRevision(window.revision);
    await store.remove(ctx.tx, window.id);
    ctx.emit(BlackoutDeleted, blackoutRef(window), blackoutEventData(window));
  },
});
