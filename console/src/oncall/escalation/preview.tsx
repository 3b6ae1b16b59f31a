import "../../ui/display/trial.css";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { query } from "../../data/api.ts";
import { useNames, useTeams } from "../../data/names/names.ts";
import { toDate, toHour } from "../../changes/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { freeField } from "../../ui/form/binding.ts";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { longestMs, planPages, type Step, type Target } from "./page-plan.ts";

const DAYS_MAX_MS = 90 * 86_400_000;

interface PreviewProps {
  readonly steps: readonly Step[];
  readonly repeats: number;
}

/** Previews the paged people and times from a given start, without an acknowledgement. */
export function EscalationPreview({ steps, repeats }: PreviewProps) {
  const [start, setStart] = useState(() => new Date().toISOString());
  const nameOf = useNames();
  const startMs = Date.parse(start);
  const find = useTargets({ steps, repeats }, startMs);
  const { planned, endMs } = planPages({ steps, repeats }, startMs, find);
  const day = toDate(new Date(startMs));
  return (
    <section className="trial" aria-label="Preview">
      <h3>Preview</h3>
      <DateTimeField
        {...freeField("start", start, (next) => next && setStart(next))}
        label="Start of the page"
      />
      <ol className="page-plan">
        {planned.map(({ atMs, round, step, userIds }) => {
          const at = new Date(atMs).toISOString();
          return (
            <li key={`${round} ${step}`} className={userIds.length === 0 ? "nobody" : undefined}>
              <time dateTime={at}>
                {toHour(at)}
                {toDate(at) !== day && <span className="muted"> {toDate(at)}</span>}
              </time>
              <span className="page-people">
                {userIds.length === 0 && (
                  <span className="muted">No person found: the next step starts immediately</span>
                )}
                {userIds.map((userId) => (
                  <span key={userId} className="page-person">
                    <Avatar name={nameOf(userId)} /> {nameOf(userId) ?? "Former member"}
                  </span>
                ))}
                {round > 0 && step === 0 && <span className="muted">round {round + 1}</span>}
              </span>
            </li>
          );
        })}
        {endMs === undefined ? (
          <li className="nobody">
            <span />
            <span className="muted">Further steps not shown</span>
          </li>
        ) : (
          <li className="nobody">
            <time dateTime={new Date(endMs).toISOString()}>
              {toHour(new Date(endMs).toISOString())}
            </time>
            <span className="muted">No more targets. The page ends without acknowledgement.</span>
          </li>
        )}
      </ol>
    </section>
  );
}

/** Loads the people behind targets: team members and people on shift. */
function useTargets(
  policy: PreviewProps,
  startMs: number,
): (target: Target, atMs: number) => readonly string[] {
  const teams = useTeams();
  const scheduleIds = [
    ...new Set(
      policy.steps.flatMap(({ targets }) =>
        targets.filter(({ type, id }) => type === "schedule" && id !== "").map(({ id }) => id),
      ),
    ),
  ];
  const lastMs = startMs + Math.min(DAYS_MAX_MS, Math.max(longestMs(policy), 1) + 60_000);
  const span = {
    from: new Date(startMs).toISOString(),
    until: new Date(lastMs).toISOString(),
  };
  const plans = useQueries({
    queries: scheduleIds.map((id) =>
      query("on_call_schedules.list_shifts", { params: { id }, query: span }),
    ),
  });
  return ({ type, id }, atMs) => {
    if (type === "user") return id === "" ? [] : [id];
    if (type === "team") return teams.find((team) => team.id === id)?.memberIds ?? [];
    const shifts = plans[scheduleIds.indexOf(id)]?.data?.data.shifts ?? [];
    const shift = shifts.find(
      ({ from, until }) => Date.parse(from) <= atMs && atMs < Date.parse(until),
    );
    return shift ? [shift.userId] : [];
  };
}
