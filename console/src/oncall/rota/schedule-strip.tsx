import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { addDays, toDate, toHour, toSpan } from "../../changes/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { toMoment } from "../../ui/words.ts";
import { type ShiftAsk, ShiftDialog } from "./shift-dialog.tsx";
import { type Block, type Lane, Strip } from "./strip.tsx";
import { touching } from "./strip-place.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Schedule = Schemas["ListedOnCallSchedule"];
type Shift = Schemas["OnCallShift"];
type ShiftBlock = Block & { readonly shift: Shift };

const DAYS = 14;

interface ScheduleStripProps {
  readonly schedule: Schedule;
  readonly first: Date;
  readonly onEdit: () => void;
}

/** A schedule: the current and next shift, and two weeks of shifts. */
export function ScheduleStrip({ schedule, first, onEdit }: ScheduleStripProps) {
  const params = { id: schedule.id };
  const query = { from: first.toISOString(), until: addDays(first, DAYS).toISOString() };
  const { data, error, refetch } = useOp("on_call_schedules.list_shifts", { params, query });
  const lanes = useLanes(data?.data);
  const isNarrow = useIsNarrow();
  const may = useMay();
  const refusalOf = useRefusals();
  const nameOf = useNames();
  const [ask, setAsk] = useState<ShiftAsk>();
  const refusal = refusalOf("on_call_schedules.swap");
  const pick = (block: ShiftBlock): void => setAsk({ span: block, shift: block.shift });
  const team = nameOf(schedule.teamId);
  return (
    <section className="rota" aria-label={schedule.name}>
      <header className="rota-head">
        <div className="rota-words">
          <h2 className="cut">{schedule.name}</h2>
          <span className="muted cut">
            {[team, schedule.timeZone.replaceAll("_", " ")].filter(Boolean).join(" · ")}
          </span>
        </div>
        <OnCallNow schedule={schedule} />
        <Button refusal={refusal} onClick={() => setAsk({ span: undefined, shift: undefined })}>
          Override
        </Button>
        <Button look="bare" onClick={onEdit}>
          {may("teams.update") ? "Edit" : "View"}
        </Button>
      </header>
      <LeaverNotice scheduleId={schedule.id} />
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {schedule.layers.length === 0 && (
        <p className="muted rota-none">No layers yet. Edit the schedule to add a layer.</p>
      )}
      {schedule.layers.length === 0 &&
      lanes.every(({ blocks }) => blocks.length === 0) ? null : isNarrow ? (
        <Agenda
          shifts={data?.data.shifts ?? []}
          onPick={refusal === undefined ? pick : undefined}
        />
      ) : (
        <Strip
          label={`${schedule.name}, two weeks`}
          first={first}
          days={DAYS}
          lanes={lanes}
          onPick={refusal === undefined ? pick : undefined}
          onDraw={refusal === undefined ? (span) => setAsk({ span, shift: undefined }) : undefined}
        />
      )}
      {ask && <ShiftDialog schedule={schedule} ask={ask} onClose={() => setAsk(undefined)} />}
    </section>
  );
}

const PROBLEMS_READ = 200;

/** Warns about former members in the schedule: names, dates and possible replacements. */
function LeaverNotice({ scheduleId }: { readonly scheduleId: string }) {
  const query = { limit: PROBLEMS_READ };
  const problems = useOp("on_call.list_problems", { query }).data?.data ?? [];
  const problem = problems.find((one) => one.scheduleId === scheduleId);
  if (!problem) return null;
  const { left, nextAt, managers } = problem;
  const listNames = (people: typeof left): string => people.map(({ name }) => name).join(", ");
  const isNow = nextAt !== null && Date.parse(nextAt) <= Date.now();
  return (
    <p className="notice rota-broken" role="alert">
      <TriangleAlert className="ico" />
      <span className="grow">
        <strong>
          {listNames(left)} left the workspace and can’t be paged
          {nextAt !== null &&
            (isNow ? ", but is on call now." : `, but is on call from ${toMoment(nextAt)}.`)}
          {nextAt === null && "."}
        </strong>{" "}
        Pages go to the next step of the escalation policy immediately.{" "}
        {managers.length > 0 && `${listNames(managers)} can replace them.`}
      </span>
    </p>
  );
}

const toBlock =
  (absences: readonly Schemas["ListedAbsenceWithNote"][]) =>
  (shift: Shift): ShiftBlock => {
    const isAway = touching(
      absences.filter(({ userId }) => userId === shift.userId),
      shift,
    ).length;
    return {
      ...shift,
      shift,
      isOverride: shift.overrideId !== null,
      warning: isAway > 0 ? "absent" : undefined,
    };
  };

/** Returns the lanes of a schedule: its layers, and the resulting shifts. */
function useLanes(plan: Schemas["OnCallShifts"] | undefined): readonly Lane<ShiftBlock>[] {
  const may = useMay();
  const absences = useOp(
    "absences.list",
    { query: { limit: 200 } },
    { enabled: may("absences.list") },
  ).data;
  // A placeholder lane while loading, to keep the layout stable.
  if (!plan) return [{ key: "main", label: "On call", blocks: [], isMain: true }];
  const block = toBlock(absences?.data ?? []);
  const layers = plan.layers.map(({ name, shifts }, n) => ({
    key: `${n}`,
    label: name,
    blocks: shifts.map(block),
  }));
  const main = {
    key: "main",
    label: "On call",
    blocks: plan.shifts.map(block),
    isMain: true,
  };
  // With one layer and no overrides, both lanes would be equal.
  const isPlain = layers.length === 1 && plan.shifts.every(({ overrideId }) => overrideId === null);
  return isPlain ? [main] : [...layers, main];
}

function OnCallNow({ schedule }: { readonly schedule: Schedule }) {
  const nameOf = useNames();
  const params = { id: schedule.id };
  const now = useOp("on_call_schedules.get_on_call", { params }).data?.data.shift;
  const next = useOp(
    "on_call_schedules.get_on_call",
    { params, query: { at: now?.until ?? "" } },
    { enabled: now !== undefined && now !== null },
  ).data?.data.shift;
  if (now === undefined) return <span className="grow" />;
  if (now === null) {
    return (
      <p className="rota-now grow muted">{schedule.layers.length > 0 && "No person on call now"}</p>
    );
  }
  return (
    <p className="rota-now grow">
      <Avatar name={nameOf(now.userId)} />
      <span className="cut">
        <strong>{nameOf(now.userId) ?? "Former member"}</strong>
        <span className="muted">
          {" "}
          until {toDate(now.until)}, {toHour(now.until)}
          {next &&
            next.userId !== now.userId &&
            `, then ${nameOf(next.userId) ?? "a former member"}`}
          {next === null && ", then no person on call"}
        </span>
      </span>
    </p>
  );
}

interface AgendaProps {
  readonly shifts: readonly Shift[];
  readonly onPick: ((block: ShiftBlock) => void) | undefined;
}

/** The layout on phones: one line per shift. */
function Agenda({ shifts, onPick }: AgendaProps) {
  const nameOf = useNames();
  return (
    <ol className="rota-agenda">
      {shifts.map((shift) => (
        <li key={shift.from}>
          <PlainButton
            className="rota-turn"
            disabled={onPick === undefined}
            onClick={() => onPick?.(toBlock([])(shift))}
          >
            <Avatar name={nameOf(shift.userId)} />
            <span className="grow cut">{nameOf(shift.userId) ?? "Former member"}</span>
            <span className="muted">{toSpan(shift.from, shift.until)}</span>
          </PlainButton>
        </li>
      ))}
    </ol>
  );
}
