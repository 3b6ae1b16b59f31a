/** A policy while the user edits it. */
import type { Schemas } from "../../data/api.ts";

export type Policy = Schemas["ListedSlaPolicy"];
export type Target = Schemas["SlaTarget"];

export interface PolicyDraft {
  readonly name: string;
  readonly entity: Policy["entity"];
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly targets: readonly Target[];
  readonly calendarId: string | null;
  /** The policy's own calendar, which is not shared. */
  readonly calendar: Policy["calendar"];
  readonly pauseOn: readonly string[];
  readonly warnAtPercent: number | null;
  readonly active: boolean;
}

export function toDraft(policy: Policy | undefined): PolicyDraft {
  return {
    name: policy?.name ?? "",
    entity: policy?.entity ?? "incident",
    conditions: policy?.conditions ?? {},
    targets: policy?.targets ?? [
      { metric: "response", minutes: 30 },
      { metric: "resolution", minutes: 480 },
    ],
    calendarId: policy?.calendarId ?? null,
    calendar: policy?.calendarId == null ? (policy?.calendar ?? null) : null,
    pauseOn: policy?.pauseOn ?? ["on_hold"],
    warnAtPercent: policy?.warnAtPercent ?? 80,
    active: policy?.active ?? true,
  };
}

/** Returns the body of an update or simulation; the ticket kind of an existing policy does not change. */
export function toChange(draft: PolicyDraft) {
  const { entity: _, calendarId, calendar, targets, warnAtPercent, ...rest } = draft;
  return {
    ...rest,
    targets: targets.map(toSentTarget),
    warnAtPercent: warnAtPercent ?? 0,
    ...(calendarId === null ? { calendar } : { calendarId }),
  };
}

export const toBody = (draft: PolicyDraft) => ({ ...toChange(draft), entity: draft.entity });

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Omits empty conditions and names. */
function toSentTarget(target: Target): Target {
  return Object.fromEntries(
    Object.entries(target).filter(([, value]) => !isEmpty(value)),
  ) as Target;
}
