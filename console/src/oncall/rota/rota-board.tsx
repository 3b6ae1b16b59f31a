import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { addDays, findMonday, parseDay, toDate, toDayKey } from "../../changes/index.ts";
import { NEW } from "../../desk-settings/index.ts";
import { useActions } from "../../shell/actions.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import type { OnCallSearch } from "../search.ts";
import { ScheduleEditor } from "./schedule-editor.tsx";
import { ScheduleStrip } from "./schedule-strip.tsx";
import { Button } from "../../ui/form/button.tsx";

const DAYS = 14;
const DAYS_A_WEEK = 7;
const SCHEDULES_SHOWN = 50;

/** Every schedule as a timeline of two weeks: current and next shifts, and the layers. */
export function RotaBoard() {
  const search = useSearch({ from: "/inside/oncall" });
  const navigate = useNavigate();
  const refusal = useRefusal("on_call_schedules.create");
  const { data, error, isPending, refetch } = useOp("on_call_schedules.list", {
    query: { limit: SCHEDULES_SHOWN },
  });
  const today = toDayKey(new Date());
  const first = useMemo(
    () => findMonday(parseDay(search.from, parseDay(today, new Date()))),
    [search.from, today],
  );
  const show = (next: Partial<OnCallSearch>): void =>
    void navigate({ to: "/oncall", search: { ...search, ...next } });
  const turn = (weeks: number): void =>
    show({ from: toDayKey(addDays(first, weeks * DAYS_A_WEEK)) });
  useActions([
    { keys: "[", label: "Previous week", run: () => turn(-1) },
    { keys: "]", label: "Next week", run: () => turn(1) },
    { keys: "t", label: "This week", run: () => show({ from: undefined }) },
    { keys: "c", label: "New schedule", run: () => show({ open: NEW }), disabled: refusal },
  ]);
  const schedules = data?.data ?? [];
  const open = schedules.find(({ id }) => id === search.open);
  if (open || search.open === NEW) {
    return <ScheduleEditor key={search.open} schedule={open} onOpen={(id) => show({ open: id })} />;
  }
  const make = (
    <Button refusal={refusal} aria-label="New schedule" onClick={() => show({ open: NEW })}>
      <Plus /> <span className="wide-only">New schedule</span>
    </Button>
  );
  return (
    <>
      <div className="rota-bar">
        <Button look="bare" isIcon aria-label="Previous week" onClick={() => turn(-1)}>
          <ChevronLeft />
        </Button>
        <strong className="rota-range">
          {toDate(first)} – {toDate(addDays(first, DAYS - 1))}
        </strong>
        <Button look="bare" isIcon aria-label="Next week" onClick={() => turn(1)}>
          <ChevronRight />
        </Button>
        {search.from !== undefined && (
          <Button look="bare" onClick={() => show({ from: undefined })}>
            This week
          </Button>
        )}
        <span className="grow" />
        {schedules.length > 0 && make}
      </div>
      <div className="scroll rota-scroll" tabIndex={0} role="region" aria-label="Schedules">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={8} />}
        {data && schedules.length === 0 && (
          <Empty title="No on-call schedules yet" action={make}>
            A schedule defines who is on call and when. Escalation policies and assignment rules use
            it.
          </Empty>
        )}
        {schedules.map((schedule) => (
          <ScheduleStrip
            key={schedule.id}
            schedule={schedule}
            first={first}
            onEdit={() => show({ open: schedule.id })}
          />
        ))}
        {data?.pagination.hasMore && (
          <p className="muted rota-more">The first {SCHEDULES_SHOWN} schedules are shown.</p>
        )}
      </div>
    </>
  );
}
