/** Incidents on hold until a time resume automatically through a job. */
import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import { event } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { id } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { Incident, IncidentUpdated } from "../incident.ts";
import { incidentCommands } from "../kind.ts";
import { applyIncidentTransition } from "../lifecycle.ts";
import { incidentStore } from "../store.ts";

export const IncidentResumed = event("incident.resumed", {
  resource: "incident",
  summary: "The hold of an incident ended. The incident is in progress again.",
  data: Incident,
});

/** Resumes an incident if its hold time has passed. */
export const resumeJob = job({
  kind: "incidents.resume",
  payload: Type.Object({ incidentId: id("inc") }),
  emits: [IncidentUpdated, IncidentResumed],
  async run(ctx, { incidentId }) {
    const where = "id = $1 and state = 'on_hold' and hold_until is not null";
    const [held] = await incidentStore.lockWhere(ctx.tx, where, incidentId);
    // The incident may have been resumed, or be on hold until a later time with another job.
    if (!held?.holdUntil || Date.parse(held.holdUntil) > ctx.now.getTime()) return;
    const context = { at: ctx.now.toISOString(), by: "system" };
    const next = applyIncidentTransition(held, "start", context);
    const after = await incidentCommands.saveChanges(ctx, held, next, IncidentUpdated);
    incidentCommands.emit(ctx, IncidentResumed, after);
  },
});

/** Schedules the end of a hold, if a change set one. */
export function scheduleResume(
  ctx: WriteContext<never>,
  before: Incident,
  { id: incidentId, holdUntil }: Incident,
): void {
  if (!holdUntil || holdUntil === before.holdUntil) return;
  const dueAt = new Date(holdUntil);
  if (dueAt <= ctx.now) throw invalidField("/holdUntil", "must be in the future");
  ctx.enqueue(resumeJob, { incidentId }, { key: incidentId, dueAt, onConflict: "move" });
}
