import type { WriteContext } from "#kernel/contract.ts";
import type { EventData } from "#kernel/log/event.ts";
import {
  IncidentSlaBreached,
  IncidentSlaWarning,
  SlaBreached,
  SlaCancelled,
  SlaWarning,
} from "./breach-events.ts";
import type { StoredClock, TicketFields } from "./clocks/store.ts";

const MINUTE_MS = 60_000;

type Alert = EventData<typeof SlaBreached>;
export type AlertEvents =
  | typeof SlaBreached
  | typeof IncidentSlaBreached
  | typeof SlaWarning
  | typeof IncidentSlaWarning;

/** The alert data not stored in the clock. */
export interface AlertDetails {
  readonly dueAt: string | null;
  /** The used share of the time. */
  readonly percent: number;
  /** The current ticket. */
  readonly ticket: TicketFields;
}

/** Emits that a clock passed its deadline. */
export function emitBreach(
  ctx: WriteContext<typeof SlaBreached | typeof IncidentSlaBreached>,
  clock: StoredClock,
  details: AlertDetails,
): void {
  const alert = toAlert(clock, details);
  if (clock.kind === "incident") ctx.emit(IncidentSlaBreached, refOf(clock), alert);
  ctx.emit(SlaBreached, refOf(clock), alert);
}

/** Emits that a share of the allowed time of a clock is used. */
export function emitWarning(
  ctx: WriteContext<typeof SlaWarning | typeof IncidentSlaWarning>,
  clock: StoredClock,
  details: AlertDetails,
): void {
  const alert = toAlert(clock, details);
  if (clock.kind === "incident") ctx.emit(IncidentSlaWarning, refOf(clock), alert);
  ctx.emit(SlaWarning, refOf(clock), alert);
}

/** Emits that the policy of a clock no longer applies. */
export function emitCancelled(ctx: WriteContext<typeof SlaCancelled>, clock: StoredClock): void {
  const percent = Math.round((clock.clock.elapsedMs / clock.targetMs) * 100);
  const { ticket } = clock;
  ctx.emit(SlaCancelled, refOf(clock), toAlert(clock, { dueAt: null, percent, ticket }));
}

/** True for a clock that was open until its policy no longer applied. */
export function hasLeft(before: StoredClock | undefined, after: StoredClock): boolean {
  const isCancelled = after.state === "cancelled" && !after.clock.matched;
  return isCancelled && before !== undefined && before.state !== "cancelled";
}

function toAlert(clock: StoredClock, { dueAt, percent, ticket }: AlertDetails): Alert {
  const { kind, ticketId: id, policyId, policyName, metric, name, targetMs } = clock;
  const targetMinutes = targetMs / MINUTE_MS;
  return {
    policyId,
    policyName,
    metric,
    name,
    targetMinutes,
    percent,
    dueAt,
    ticket: { kind, id, ...ticket },
  };
}

function refOf({ ticketId: id, ticket: { number, title } }: StoredClock) {
  return {
    id,
    ...(number !== null && { number }),
    ...(title !== null && { displayName: title }),
  };
}
