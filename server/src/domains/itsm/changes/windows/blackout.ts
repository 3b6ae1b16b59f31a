import Type, { type Static } from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, InputTime, line, text, Time } from "#kernel/schema/schema.ts";

const ITEMS_MAX = 1_000;

/** What callers say of a window. */
export const fields = {
  name: line(200),
  start: InputTime,
  end: InputTime,
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The configuration items that may not be changed; all of them when there are none",
  }),
  reason: text(2_000),
};

/** A time in which nothing is changed, but in an emergency. */
export const BlackoutWindow = Type.Object(
  {
    id: id("bwn"),
    ...fields,
    start: Time,
    end: Time,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "BlackoutWindow" },
);
type Shown = Static<typeof BlackoutWindow>;
export type BlackoutWindow = Shown & { readonly revision: number };

/** As events tell it. */
export function dataOf({ revision: _, ...window }: BlackoutWindow): Shown {
  return window;
}

export function referTo({ id: own, name }: Shown) {
  return { id: own, displayName: name };
}

const about = { resource: "blackout_window", data: BlackoutWindow };

export const BlackoutCreated = event("blackout_window.created", {
  ...about,
  summary: "A time was set in which nothing is changed.",
});
export const BlackoutUpdated = changeEvent("blackout_window.updated", {
  ...about,
  summary: "A blackout window was changed.",
});
export const BlackoutDeleted = event("blackout_window.deleted", {
  ...about,
  summary: "A blackout window was lifted.",
});
