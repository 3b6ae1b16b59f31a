/** Schedules with members who left. These members cannot be paged, so the schedule must be changed. */
import Type, { type Static } from "typebox";
import { findMemberNames, findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import type { WaitingWork } from "#kernel/contributions/waiting-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { reader } from "#kernel/readers/reader.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { DeskRead, DeskWrite, findTeamMemberIds } from "../tickets/index.ts";
import { planShifts } from "./on-call.ts";
import { findOverrides } from "./override.ts";
import { type Schedule, schedules } from "./schedule.ts";

const DAY_MS = 86_400_000;
/** With hourly turns in five layers this stays within the limit of a plan. */
const AHEAD_DAYS = 28;
const MANAGERS_MAX = 20;
const MANAGER_ROLES = ["owner", "admin"] as const;

const Person = Type.Object({ id: id("usr"), name: Type.String() });

const BrokenSchedule = Type.Object(
  {
    scheduleId: id("ocs"),
    name: Type.String(),
    teamId: nullable(id("tem")),
    left: Type.Array(Person, {
      description: "Members of the schedule who are not active in the workspace",
    }),
    nextAt: nullable(Time),
    managers: Type.Array(Person, { description: "Members who can edit the schedule" }),
  },
  { title: "BrokenOnCallSchedule" },
);

/** SQL: inactive members in a schedule and its current overrides. */
const LEFT = `
  select s.id, u.user_id as "userId"
    from on_call_schedules s
    cross join lateral (
      select jsonb_array_elements_text(l.layer -> 'userIds') as user_id
        from jsonb_array_elements(s.layers) as l (layer)
      union
      select o.user_id from on_call_overrides o where o.schedule_id = s.id and o.ends_at > $1) u
   where not exists (select from memberships m where m.user_id = u.user_id and m.status = 'active')
   order by s.name, s.id, u.user_id`;

async function findLeft({ tx, now }: ReadContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await queryRows<{ readonly id: string; readonly userId: string }>(tx, LEFT, [now]);
  const bySchedule = Map.groupBy(rows, (row) => row.id);
  return new Map([...bySchedule].map(([key, own]) => [key, own.map(({ userId }) => userId)]));
}

/** The members who can change a schedule: its author and its team, otherwise owners and admins. */
async function findManagers(ctx: ReadContext, schedule: Schedule): Promise<readonly string[]> {
  const { createdBy, teamId } = schedule;
  const team = teamId === null ? [] : await findTeamMemberIds(ctx.tx, teamId);
  const near = await findMembersWithPermission(ctx, DeskWrite, [createdBy, ...team]);
  if (near.size > 0) return [...near].toSorted().slice(0, MANAGERS_MAX);
  return queryRows<{ readonly id: string }>(
    ctx.tx,
    `select user_id as id from memberships where status = 'active' and roles && $1::text[] order by user_id limit $2`,
    [MANAGER_ROLES, MANAGERS_MAX],
  ).then((rows) => rows.map((row) => row.id));
}

async function describe(
  ctx: ReadContext,
  schedule: Schedule,
  leftIds: readonly string[],
): Promise<Static<typeof BrokenSchedule>> {
  const { tx, now } = ctx;
  const until = new Date(now.getTime() + AHEAD_DAYS * DAY_MS);
  const overrides = await findOverrides(tx, schedule.id, now, until);
  const { shifts } = await planShifts(schedule, overrides, now, until);
  const managerIds = await findManagers(ctx, schedule);
  const names = await findMemberNames(tx, [...leftIds, ...managerIds]);
  const toPerson = (userId: string) => ({
    id: userId,
    name: names.find((one) => one.id === userId)?.name ?? "Former member",
  });
  return {
    scheduleId: schedule.id,
    name: schedule.name,
    teamId: schedule.teamId,
    left: leftIds.map(toPerson),
    nextAt: shifts.find(({ userId }) => leftIds.includes(userId))?.from ?? null,
    managers: managerIds.map(toPerson),
  };
}

export const listBrokenSchedules = query({
  id: "on_call.list_problems",
  route: "GET /api/v1/itsm/on-call/problems",
  summary: "List on-call schedules with members who left",
  description: `Returns the members who left, whether one of them is on call within ${AHEAD_DAYS} days, and who can edit the schedule.`,
  permission: DeskRead,
  environmentScoped: false,
  query: object(pageQuery),
  response: page(BrokenSchedule),
  async run(ctx, { query: asked }) {
    const left = await findLeft(ctx);
    const found = pageOfItems(ctx.services, "on call problems", asked, {
      items: [...left].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      keyOf: ([scheduleId]) => scheduleId,
    });
    const data = [];
    for (const [scheduleId, userIds] of found.data) {
      data.push(await describe(ctx, await schedules.store.get(ctx.tx, scheduleId), userIds));
    }
    return { ...found, data };
  },
});

/** Counts the schedules to repair for members who can change them. */
export const brokenScheduleWork: WaitingWork = {
  kind: "brokenSchedules",
  permission: DeskWrite,
  count: async (ctx) => (await findLeft(ctx)).size,
};

/** Notifies members who can change a schedule that it contains a member who left. */
export async function notifyManagers(
  ctx: WriteContext<typeof NotificationSent>,
  schedule: Schedule,
  {
    name,
    why,
    eventId,
  }: { readonly name: string; readonly why: string; readonly eventId?: string },
): Promise<void> {
  await notify(ctx, {
    userIds: await findManagers(ctx, schedule),
    title: `On-call schedule ${schedule.name}: ${name} left`,
    body: `${why}\n\nReplace ${name} in the schedule, or add an override.`,
    about: {
      ...(eventId !== undefined && { eventId }),
      resource: { type: "on_call_schedule", id: schedule.id },
    },
    mail: { path: "/oncall" },
  });
}

/** Notifies the managers of a schedule when a member of it leaves. */
export const leaverReader = reader({
  name: "on_call.notify_of_leaver",
  on: ["user.deactivated"],
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    for (const event of events) {
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      const userId = event.resource.id;
      for (const [scheduleId, leftIds] of await findLeft(ctx)) {
        if (!leftIds.includes(userId)) continue;
        const [person] = await findMemberNames(ctx.tx, [userId]);
        await notifyManagers(ctx.because(event), await schedules.store.get(ctx.tx, scheduleId), {
          name: person?.name ?? "A former member",
          why: "This person is still in the schedule and can't be paged. Pages go to the next step at once.",
          eventId: event.id,
        });
      }
    }
  },
});
