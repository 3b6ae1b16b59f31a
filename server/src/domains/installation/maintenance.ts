import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object, text, Time } from "#kernel/schema/schema.ts";
import type { MaintenanceState } from "#kernel/access/maintenance.ts";
import { operatorAccess, recordAtHome } from "./access.ts";

export const MaintenanceSchema = Type.Object(
  { message: Type.String({ description: "Message for users" }), since: Time },
  { title: "Maintenance" },
);

export const MaintenanceStarted = event("audit.maintenance.started", {
  resource: "installation",
  summary: "Maintenance mode was turned on. Changes are rejected.",
  data: MaintenanceSchema,
});

export const MaintenanceEnded = event("audit.maintenance.ended", {
  resource: "installation",
  summary: "Maintenance mode was turned off.",
  data: Type.Object({ since: Time }),
});

const RESOURCE = { id: "installation", displayName: "Installation" };

export const setMaintenance = command({
  id: "installation.set_maintenance",
  route: "PUT /api/v1/installation/maintenance",
  summary: "Turn maintenance mode on or off",
  description:
    "In maintenance mode, reads work, and changes return 503 `maintenance` with `Retry-After`, except for operators. Active runs, deliveries and e-mails continue.",
  ...operatorAccess,
  allowNoop: true,
  body: object({ enabled: Type.Boolean(), message: Type.Optional(text(500)) }),
  response: item(object({ maintenance: nullable(MaintenanceSchema) })),
  emits: [MaintenanceStarted, MaintenanceEnded],
  example: { body: { enabled: true, message: "We are moving to a larger disk until 22:00." } },
  async run(ctx, { body: { enabled, message = "" } }) {
    const { maintenance } = await ctx.tx
      .selectFrom("installation")
      .select("maintenance")
      .forUpdate()
      .executeTakeFirstOrThrow();
    // Only this operation writes it.
    const before = maintenance as MaintenanceState | null;
    if (!enabled && before === null) return { maintenance: null };
    const after = enabled ? { message, since: before?.since ?? ctx.now.toISOString() } : null;
    if (after !== null && before?.message === after.message) return { maintenance: before };
    await ctx.tx
      .updateTable("installation")
      .set({ maintenance: after === null ? null : JSON.stringify(after) })
      .execute();
    ctx.onCommit(() => ctx.services.maintenance.assume(after));
    recordAtHome(ctx, () => {
      if (after) ctx.emit(MaintenanceStarted, RESOURCE, after);
      else if (before) ctx.emit(MaintenanceEnded, RESOURCE, { since: before.since });
    });
    return { maintenance: after };
  },
});
