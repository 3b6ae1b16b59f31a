import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { count } from "../../ui/words.ts";
import type { ChangesSearch } from "../search.ts";
import { CalendarDay } from "./calendar-day.tsx";
import { addDays, findMonday, listDays, parseDay, toDayKey } from "./days.ts";
import { FreezeDialog } from "./freeze-dialog.tsx";
import { Preview } from "./preview.tsx";
import { Button } from "../../ui/form/button.tsx";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAYS_A_WEEK = 7;
const range = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/**
 * Three weeks of days. Hatched days are frozen, outlined changes are not approved, filled ones are, and the border
 * shows the risk.
 */
export function Calendar() {
  const search = useSearch({ from: "/inside/changes" });
  const navigate = useNavigate();
  const today = toDayKey(new Date());
  const monday = useMemo(
    () => findMonday(parseDay(search.from, parseDay(today, new Date()))),
    [search.from, today],
  );
  const days = useMemo(() => listDays(monday), [monday]);
  const [first, last] = [days[0], days.at(-1)];
  const query = { from: monday.toISOString(), to: (last?.end ?? monday).toISOString() };
  const { data, error, isPending, refetch } = useOp("changes.calendar", { query });
  const calendar = data?.data;
  const changes = useMemo(() => calendar?.changes ?? [], [calendar]);
  const show = (next: Partial<ChangesSearch>): void =>
    void navigate({ to: "/changes", search: { ...search, ...next }, replace: true });
  const turn = (weeks: number): void =>
    show({ from: toDayKey(addDays(monday, weeks * DAYS_A_WEEK)) });
  const chosen = changes.find(({ id }) => id === search.open);
  const open = (id: string | undefined): void => show({ open: id });
  useListKeys({ ids: changes.map(({ id }) => id), chosen: chosen?.id, onChoose: open });
  useActions([
    { keys: "[", label: "Previous week", run: () => turn(-1) },
    { keys: "]", label: "Next week", run: () => turn(1) },
    { keys: "t", label: "This week", run: () => show({ from: undefined }) },
  ]);
  const clashes = changes.filter(({ conflicts }) => conflicts > 0).length;
  return (
    <>
      <div className="calendar-bar">
        <Button look="bare" isIcon aria-label="Previous week" onClick={() => turn(-1)}>
          <ChevronLeft />
        </Button>
        <strong className="calendar-range">
          {first && range.format(first.start)} – {last && range.format(last.start)}
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
        {clashes > 0 && <span className="tag bad">{clashes} with conflicts</span>}
        {calendar?.truncated === true && (
          <span className="tag warn">Only the first {count(changes.length, "change")}</span>
        )}
      </div>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {calendar && (
        <div className="calendar-body">
          <div
            className="scroll grow calendar-scroll"
            tabIndex={0}
            role="region"
            aria-label="Calendar"
          >
            <div className="calendar">
              <div className="calendar-names" aria-hidden="true">
                {WEEKDAYS.map((name) => (
                  <span key={name}>{name}</span>
                ))}
              </div>
              {days.map((day) => (
                <CalendarDay
                  key={day.key}
                  day={day}
                  isToday={day.key === today}
                  changes={changes}
                  closures={calendar.blackoutWindows}
                  chosen={chosen?.id}
                  onOpen={open}
                  onFreeze={(freeze) => show({ freeze })}
                />
              ))}
            </div>
            <Nothing isShown={changes.length === 0 && calendar.blackoutWindows.length === 0} />
            <Legend />
          </div>
          {chosen && <Preview change={chosen} onClose={() => open(undefined)} />}
        </div>
      )}
      {search.freeze !== undefined && (
        <FreezeDialog id={search.freeze} onClose={() => show({ freeze: undefined })} />
      )}
    </>
  );
}

/** Shown on phones, where no empty grid is visible. */
function Nothing({ isShown }: { readonly isShown: boolean }) {
  const isNarrow = useIsNarrow();
  if (!isShown || !isNarrow) return null;
  return <p className="muted calendar-nothing">No changes are planned in these three weeks.</p>;
}

function Legend() {
  return (
    <p className="calendar-legend muted">
      <span>
        <i className="low" /> low risk
      </span>
      <span>
        <i className="moderate" /> moderate
      </span>
      <span>
        <i className="high" /> high
      </span>
      <span>
        <i className="is-open" /> not approved yet
      </span>
      <span>
        <i className="is-closed" /> change freeze
      </span>
    </p>
  );
}
