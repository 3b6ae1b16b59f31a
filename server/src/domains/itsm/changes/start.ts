/** Circumstances in which starting a change requires a reason. Its event records them. */
import type { ReadContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { type ChangeRecord, StartReasonRequired } from "./change.ts";
import { findBlackoutsAt } from "./windows/blackout.ts";
import { findConflicts } from "./windows/conflicts.ts";
import { containsMoment, plannedWindowOf } from "./windows/window.ts";

/** The circumstances at the start of a change, for its event. Throws 422 if a required reason is missing. */
export async function describeStart(
  ctx: ReadContext,
  change: ChangeRecord,
  { reason = "" }: { readonly reason?: string },
) {
  const { tx, now } = ctx;
  const conflicts = await findConflicts(tx, change);
  const frozenNow = await findBlackoutsAt(tx, now, change.ciIds);
  // Ended freezes are irrelevant.
  const coming = conflicts.blackoutWindows.filter(({ end }) => end > now.toISOString());
  const windows = new Map([...coming, ...frozenNow].map((one) => [one.id, one]));
  const start = {
    outsideWindow: isOutsideWindow(change, now),
    conflicts: conflicts.changes.map(({ id, number }) => ({ id, number })),
    blackoutWindows: [...windows.values()].map(({ id, name }) => ({ id, name })),
  };
  const isUnusual =
    start.outsideWindow || start.conflicts.length > 0 || start.blackoutWindows.length > 0;
  const given = reason.trim();
  if (isUnusual && given === "") throw new Failure(StartReasonRequired, { extra: start });
  return { ...start, reason: given === "" ? null : given };
}

/** True for a moment outside of the planned window. */
function isOutsideWindow(change: ChangeRecord, moment: Date): boolean {
  const window = plannedWindowOf(change);
  return window !== undefined && !containsMoment(window, moment.toISOString());
}
