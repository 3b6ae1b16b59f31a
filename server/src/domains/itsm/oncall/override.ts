/** Overrides: a substitute for a time range. */
import Type, { type Static } from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, text, Time } from "#kernel/schema/schema.ts";

const OVERRIDES_MAX = 1_000;

export const Override = Type.Object(
  {
    id: id("oco"),
    scheduleId: id("ocs"),
    userId: id("usr", "The member on call"),
    from: Time,
    until: Time,
    reason: text(500),
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "OnCallOverride" },
);
export type Override = Static<typeof Override>;

const about = { resource: "on_call_schedule", data: Override };

export const OverrideAdded = event("on_call_schedule.override_added", {
  ...about,
  summary: "An on-call override was created.",
});
export const OverrideRemoved = event("on_call_schedule.override_removed", {
  ...about,
  summary: "An on-call override was deleted.",
});

const COLUMNS = `
  id, schedule_id as "scheduleId", user_id as "userId", starts_at as "from", ends_at as "until", reason,
  created_by as "createdBy", created_at as "createdAt"`;

/** Finds the overrides in a time range in creation order. Later overrides take precedence. */
export async function findOverrides(
  tx: Tx,
  scheduleId: string,
  from: Date,
  until: Date,
): Promise<readonly Override[]> {
  const text = `
    select ${COLUMNS} from on_call_overrides
     where schedule_id = $1 and ends_at > $2 and starts_at < $3
     order by created_at, id limit ${OVERRIDES_MAX}`;
  return queryRows<Override>(tx, text, [scheduleId, from, until]);
}

export async function findOverride(
  tx: Tx,
  scheduleId: string,
  overrideId: string,
): Promise<Override | undefined> {
  const text = `select ${COLUMNS} from on_call_overrides where schedule_id = $1 and id = $2`;
  const [row] = await queryRows<Override>(tx, text, [scheduleId, overrideId]);
  return row;
}

/** Creates an override and emits its event. */
export async function insertOverride(
  ctx: WriteContext<typeof OverrideAdded>,
  { id: scheduleId, name }: { readonly id: string; readonly name: string },
  input: Pick<Override, "userId" | "from" | "until" | "reason">,
): Promise<Override> {
  const override: Override = {
    ...input,
    id: newId("oco", ctx.now.getTime()),
    scheduleId,
    from: new Date(input.from).toISOString(),
    until: new Date(input.until).toISOString(),
    createdBy: authorOf(ctx.caller),
    createdAt: ctx.now.toISOString(),
  };
  await ctx.send(
    `insert into on_call_overrides
       (id, schedule_id, user_id, starts_at, ends_at, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      override.id,
      scheduleId,
      override.userId,
      override.from,
      override.until,
      override.reason,
      override.createdBy,
      ctx.now,
    ],
  );
  ctx.emit(OverrideAdded, { id: scheduleId, displayName: name }, override);
  return override;
}
