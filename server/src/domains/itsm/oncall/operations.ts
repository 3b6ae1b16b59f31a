import Type from "typebox";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, noContent, page } from "#kernel/operation/response.ts";
import { id, InputTime, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskRead } from "../tickets/index.ts";
import { findShift, ShiftPlan, planShifts, Shift } from "./on-call.ts";
import {
  findOverride,
  findOverrides,
  insertOverride,
  Override,
  OverrideAdded,
  OverrideRemoved,
} from "./override.ts";
import { OnCallWrite } from "./permissions.ts";
import { assertTimeZone, scheduleFields, schedules } from "./schedule.ts";

const DAY_MS = 86_400_000;
const RANGE_DAYS_MAX = 92;
const DEFAULT_DAYS = 14;
const FUTURE_DAYS = 3_650;

const { path, docs } = schedules.declaration;
const example = { id: docs.examples.id };
const one = { params: object({ id: id("ocs") }), environmentScoped: false } as const;
const EXAMPLE_OVERRIDE = "oco_01jzt3n5k8q2x4v6w8y0z2b4d6";

const span = { from: Type.Optional(InputTime), until: Type.Optional(InputTime) };

const ShiftAt = Type.Object({ at: Time, shift: nullable(Shift) }, { title: "OnCallAt" });

const getOnCall = query({
  ...one,
  id: "on_call_schedules.get_on_call",
  route: `GET ${path}/{id}/on-call`,
  summary: "Get the member on call",
  description: "Default: now. `shift` is null if no member is on call.",
  permission: DeskRead,
  query: object({ at: Type.Optional(InputTime) }),
  response: item(ShiftAt),
  example: { params: example },
  async run({ tx, now }, { params, query: { at } }) {
    const schedule = await schedules.store.get(tx, params.id);
    const moment = at === undefined ? now : new Date(at);
    return { at: moment.toISOString(), shift: await findShift(tx, schedule, moment) };
  },
});

const listShifts = query({
  ...one,
  id: "on_call_schedules.list_shifts",
  route: `GET ${path}/{id}/shifts`,
  summary: "List on-call shifts",
  description: `Default: the next ${DEFAULT_DAYS} days. At most ${RANGE_DAYS_MAX} days.`,
  permission: DeskRead,
  oneAtATime: true,
  query: object(span),
  response: item(ShiftPlan),
  example: { params: example },
  async run({ tx, now }, { params, query: asked }) {
    const schedule = await schedules.store.get(tx, params.id);
    const [from, until] = readSpan(asked, now);
    const overrides = await findOverrides(tx, schedule.id, from, until);
    return planShifts(schedule, overrides, from, until);
  },
});

const previewShifts = query({
  id: "on_call_schedules.preview",
  route: `POST ${path}/preview`,
  summary: "Preview the shifts of unsaved layers",
  description:
    "Nothing is saved. `scheduleId` includes the overrides of that schedule. The period has the same defaults as in `list_shifts`.",
  permission: DeskRead,
  oneAtATime: true,
  environmentScoped: false,
  body: object({
    ...span,
    scheduleId: Type.Optional(id("ocs")),
    timeZone: Type.Optional(scheduleFields.timeZone),
    layers: scheduleFields.layers,
  }),
  response: item(ShiftPlan),
  example: { body: { layers: docs.examples.input.layers ?? [], timeZone: "Europe/Berlin" } },
  async run({ tx, now }, { body: { scheduleId, layers, timeZone = "UTC", ...asked } }) {
    assertTimeZone(timeZone);
    const schedule =
      scheduleId === undefined ? undefined : await schedules.store.get(tx, scheduleId);
    const [from, until] = readSpan(asked, now);
    const overrides = schedule ? await findOverrides(tx, schedule.id, from, until) : [];
    return planShifts({ timeZone, layers }, overrides, from, until);
  },
});

function readSpan(
  asked: { readonly from?: string; readonly until?: string },
  now: Date,
): readonly [from: Date, until: Date] {
  const from = asked.from === undefined ? now : new Date(asked.from);
  const afterMs = from.getTime() + DEFAULT_DAYS * DAY_MS;
  const until = new Date(asked.until ?? afterMs);
  assertRange(from, until);
  return [from, until];
}

function assertRange(from: Date, until: Date): void {
  if (until <= from) throw invalidField("/until", "must be after from");
  if (until.getTime() - from.getTime() > RANGE_DAYS_MAX * DAY_MS) {
    throw invalidField("/until", `must be within ${RANGE_DAYS_MAX} days of from`);
  }
}

const listOnCall = query({
  id: "on_call.list",
  route: "GET /api/v1/itsm/on-call",
  summary: "List the members on call for all schedules",
  permission: DeskRead,
  oneAtATime: true,
  environmentScoped: false,
  query: object({ ...pageQuery, at: Type.Optional(InputTime) }),
  response: page(
    Type.Object(
      {
        scheduleId: id("ocs"),
        name: Type.String(),
        teamId: nullable(id("tem")),
        shift: nullable(Shift),
      },
      { title: "OnCallNow" },
    ),
  ),
  async run({ tx, now, services }, { query: { at, ...asked } }) {
    const moment = at === undefined ? now : new Date(at);
    const rows = await tx.selectFrom("on_call_schedules").select("id").orderBy("name").execute();
    const items = [];
    for (const row of rows) {
      const schedule = await schedules.store.get(tx, row.id);
      const { id: scheduleId, name, teamId } = schedule;
      items.push({ scheduleId, name, teamId, shift: await findShift(tx, schedule, moment) });
    }
    return pageOfItems(services, "on call", asked, { items, keyOf: (row) => row.scheduleId });
  },
});

const listOverrides = query({
  ...one,
  id: "on_call_schedules.list_overrides",
  route: `GET ${path}/{id}/overrides`,
  summary: "List current and future overrides of an on-call schedule",
  permission: DeskRead,
  query: object({ ...pageQuery, from: Type.Optional(InputTime) }),
  response: page(Override),
  example: { params: example },
  async run({ tx, now, services }, { params, query: { from, ...asked } }) {
    const schedule = await schedules.store.get(tx, params.id);
    const start = from === undefined ? now : new Date(from);
    const end = new Date(start.getTime() + FUTURE_DAYS * DAY_MS);
    const overrides = await findOverrides(tx, schedule.id, start, end);
    return pageOfItems(services, `overrides of ${schedule.id}`, asked, {
      items: overrides.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
      keyOf: (override) => override.id,
    });
  },
});

const addOverride = command({
  ...one,
  id: "on_call_schedules.add_override",
  effect: "ordinary",
  route: `POST ${path}/{id}/overrides`,
  summary: "Create an on-call override",
  description: "Default for `userId`: you. If two overrides overlap, the later one applies.",
  permission: OnCallWrite,
  body: object({
    userId: Type.Optional(id("usr")),
    from: InputTime,
    until: InputTime,
    reason: Type.Optional(line(500)),
  }),
  response: created(Override),
  emits: [OverrideAdded],
  example: {
    params: example,
    body: { from: "2026-12-24T12:00:00Z", until: "2026-12-26T09:00:00Z", reason: "Family" },
  },
  async run(ctx, { params, body: { userId, from, until, reason = "" } }) {
    const schedule = await schedules.store.get(ctx.tx, params.id);
    const standsIn = userId ?? ctx.caller.principal?.id ?? "";
    assertRange(new Date(from), new Date(until));
    await assertReferencesExist(ctx, { users: { "/userId": standsIn } });
    return insertOverride(ctx, schedule, { userId: standsIn, from, until, reason });
  },
});

const removeOverride = command({
  ...one,
  id: "on_call_schedules.remove_override",
  route: `DELETE ${path}/{id}/overrides/{overrideId}`,
  summary: "Delete an on-call override",
  permission: OnCallWrite,
  params: object({ id: id("ocs"), overrideId: id("oco") }),
  response: noContent(),
  emits: [OverrideRemoved],
  example: { params: { ...example, overrideId: EXAMPLE_OVERRIDE } },
  async run(ctx, { params }) {
    const schedule = await schedules.store.get(ctx.tx, params.id);
    const override = await findOverride(ctx.tx, schedule.id, params.overrideId);
    if (!override) throw new Failure(NotFound);
    // Overrides are created and deleted, but never changed.
    ctx.expectRevision(1);
    await ctx.send("delete from on_call_overrides where id = $1", [override.id]);
    ctx.emit(OverrideRemoved, { id: schedule.id, displayName: schedule.name }, override);
  },
});

const NothingToSwap = failure(
  "nothing_to_swap",
  409,
  "Choose two shifts of different members that have not ended.",
);

const swapShifts = command({
  ...one,
  id: "on_call_schedules.swap",
  effect: "ordinary",
  route: `POST ${path}/{id}/swap`,
  summary: "Swap two shifts",
  description:
    "Swaps the members of two shifts, each given by a time within it. If a shift has already started, only its remaining part is swapped.",
  permission: OnCallWrite,
  body: object({ at: InputTime, withAt: InputTime, reason: Type.Optional(line(500)) }),
  response: item(Type.Object({ overrides: Type.Array(Override) }, { title: "OnCallSwap" })),
  emits: [OverrideAdded],
  fails: [NothingToSwap],
  example: {
    params: example,
    body: { at: "2026-12-08T12:00:00Z", withAt: "2026-12-15T12:00:00Z" },
  },
  async run(ctx, { params, body: { at, withAt, reason = "" } }) {
    const { tx, now } = ctx;
    const schedule = await schedules.store.get(tx, params.id);
    const first = await findShift(tx, schedule, new Date(at));
    const second = await findShift(tx, schedule, new Date(withAt));
    const isOver = [first, second].some((shift) => !shift || new Date(shift.until) <= now);
    if (!first || !second || isOver || first.userId === second.userId) {
      throw new Failure(NothingToSwap);
    }
    const remaining = (shift: Shift) =>
      shift.from < now.toISOString() ? now.toISOString() : shift.from;
    const overrides = [
      await insertOverride(ctx, schedule, {
        userId: second.userId,
        from: remaining(first),
        until: first.until,
        reason,
      }),
      await insertOverride(ctx, schedule, {
        userId: first.userId,
        from: remaining(second),
        until: second.until,
        reason,
      }),
    ];
    return { overrides };
  },
});

export const onCallOperations = [
  getOnCall,
  listShifts,
  previewShifts,
  listOnCall,
  listOverrides,
  addOverride,
  removeOverride,
  swapShifts,
];
