import Type, { type Static } from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id, InputTime, line, text, Time } from "#kernel/schema/schema.ts";

const ITEMS_MAX = 1_000;

/** The fields that people set and change. */
export const blackoutFields = {
  name: line(200),
  start: InputTime,
  end: InputTime,
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The configuration items that may not be changed; all of them when there are none",
  }),
  reason: text(2_000),
};

/** A blackout window: a time in which only emergency changes begin. */
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
type BlackoutData = Static<typeof BlackoutWindow>;
export type BlackoutWindow = BlackoutData & { readonly revision: number };

/** The window in the data of events. */
export function blackoutEventData({ revision: _, ...window }: BlackoutWindow): BlackoutData {
  return window;
}

/** The reference to a window in events. */
export function blackoutRef({ id: own, name }: BlackoutData) {
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
