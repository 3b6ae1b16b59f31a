import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { type Item, resource } from "#kernel/resource/resource.ts";
import { id, InputTime, line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../../tickets/index.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import { assertOrder, parseMoment, type Window } from "./window.ts";

const ITEMS_MAX = 1_000;

/** The fields that people set and change. */
const blackoutFields = {
  name: line(200),
  start: InputTime,
  end: InputTime,
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The affected configuration items. Empty: all items",
  }),
  reason: text(2_000),
};

/** A blackout window, in which only emergency changes can start. */
export const BlackoutWindow = Type.Object(
  {
    id: id("bwn"),
    ...blackoutFields,
    start: Time,
    end: Time,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "BlackoutWindow" },
);
export type BlackoutWindow = Item<typeof BlackoutWindow>;

export const blackouts = resource({
  name: "blackout_window",
  plural: "blackout_windows",
  effect: "drastic",
  path: "/api/v1/itsm/blackout-windows",
  table: "blackout_windows",
  idPrefix: "bwn",
  schema: BlackoutWindow,
  columns: { start: "starts_at", end: "ends_at", ciIds: "item_ids" },
  input: object({
    ...blackoutFields,
    ciIds: Type.Optional(blackoutFields.ciIds),
    reason: Type.Optional(blackoutFields.reason),
  }),
  change: patch(blackoutFields),
  defaults: { ciIds: [], reason: "" },
  permissions: { read: ChangesRead, write: ChangesApprove },
  list: {
    order: "-start",
    tieBreaker: "no",
    search: ["name", "reason"],
    fields: { no: { sql: "no", kind: "number", type: "bigint" } },
  },
  async check(ctx, { start, end, ciIds, ...input }, before) {
    const times = {
      ...(start !== undefined && { start: parseMoment("/start", start) }),
      ...(end !== undefined && { end: parseMoment("/end", end) }),
    };
    assertOrder("/end", times.start ?? before?.start, times.end ?? before?.end);
    const items = ciIds && { ciIds: [...new Set(ciIds)] };
    await assertReferencesExist(ctx, { ...items });
    return { ...input, ...times, ...items };
  },
  operations: {
    create: {
      effect: "ordinary",
      summary: "Create a change freeze",
      description:
        "Changes planned during the freeze list it as a conflict, and can't start in it: `implement` returns 409 `change_blackout`, except for emergency changes.",
    },
    delete: { summary: "Delete a change freeze" },
  },
  docs: {
    noun: "a change freeze",
    nouns: "change freezes, latest first",
    events: {
      created: "A change freeze was created.",
      deleted: "A change freeze was deleted.",
    },
    examples: {
      id: "bwn_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Year-end freeze",
        start: "2026-12-20T00:00:00Z",
        end: "2027-01-04T00:00:00Z",
        reason: "Annual accounts",
      },
      change: { end: "2027-01-06T00:00:00Z" },
    },
  },
});

/** Finds overlapping blackout windows, optionally filtered by items. */
export function findBlackouts(
  tx: Tx,
  { start, end }: Window,
  { itemIds, limit }: { readonly itemIds?: readonly string[]; readonly limit: number },
): Promise<BlackoutWindow[]> {
  const concerned = itemIds ? "and (cardinality(item_ids) = 0 or item_ids && $3::text[])" : "";
  const condition = `ends_at > $1 and starts_at < $2 ${concerned} order by starts_at, no limit ${limit}`;
  return blackouts.store.select(tx, condition, [start, end, ...(itemIds ? [itemIds] : [])]);
}

const BLACKOUTS_NOW_MAX = 20;

/** Finds the blackout windows that block changes to these items at a moment. */
export function findBlackoutsAt(
  tx: Tx,
  moment: Date,
  itemIds: readonly string[],
): Promise<BlackoutWindow[]> {
  const condition = `
    ends_at > $1 and starts_at <= $1 and (cardinality(item_ids) = 0 or item_ids && $2::text[])
    order by starts_at, no limit ${BLACKOUTS_NOW_MAX}`;
  return blackouts.store.select(tx, condition, [moment, itemIds]);
}
