import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { count } from "../../ui/words.ts";
import type { PlannedChange } from "./planned-change.ts";
import { type Day, describeClosures, placeOn, toHour } from "./days.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const SHOWN_MAX = 6;
const longDay = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
});
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const month = new Intl.DateTimeFormat("en-GB", { month: "short" });

interface DayProps {
  readonly day: Day;
  readonly isToday: boolean;
  readonly changes: readonly PlannedChange[];
  readonly closures: readonly Schemas["BlackoutWindow"][];
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onFreeze: (id: string) => void;
}

export function CalendarDay({
  day,
  isToday,
  changes,
  closures,
  chosen,
  onOpen,
  onFreeze,
}: DayProps) {
  const [isWhole, setWhole] = useState(false);
  const closed = describeClosures(day, closures);
  const here = changes.flatMap((change) => {
    const place = placeOn(day, change);
    return place ? [{ change, isFirst: place === "begins" }] : [];
  });
  const isCut = !isWhole && here.length > SHOWN_MAX + 1;
  const shown = isCut ? here.slice(0, SHOWN_MAX) : here;
  const looks = [
    "calendar-day",
    isToday && "today",
    closed.some(({ closure }) => closure.ciIds.length === 0)
      ? "closed"
      : closed.length > 0 && "partly",
    here.length + closed.length === 0 && "bare",
  ];
  const date = day.start.getDate();
  return (
    <section className={looks.filter(Boolean).join(" ")} aria-label={longDay.format(day.start)}>
      <h2>
        <span className="calendar-weekday">{weekday.format(day.start)}</span> <b>{date}</b>
        <span className={date === 1 ? "" : "calendar-month"}> {month.format(day.start)}</span>
      </h2>
      {closed.map(({ closure, words }) => (
        <PlainButton
          key={closure.id}
          className="calendar-closed"
          title={closure.reason}
          onClick={() => onFreeze(closure.id)}
        >
          {words}
          {closure.ciIds.length > 0 && (
            <span className="muted"> for {count(closure.ciIds.length, "item")}</span>
          )}
        </PlainButton>
      ))}
      {shown.map(({ change, isFirst }) => (
        <Entry
          key={change.id}
          change={change}
          isFirst={isFirst}
          isChosen={change.id === chosen}
          onOpen={() => onOpen(change.id)}
        />
      ))}
      {isCut && (
        <PlainButton className="calendar-more" onClick={() => setWhole(true)}>
          {here.length - SHOWN_MAX} more
        </PlainButton>
      )}
    </section>
  );
}

function Entry(props: {
  readonly change: PlannedChange;
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}) {
  const { change, isFirst } = props;
  const { state, risk, conflicts, plannedStart, plannedEnd } = change;
  const isEnded = state === "completed" || state === "rolled_back";
  const looks = [
    "calendar-change",
    risk.level,
    state === "submitted" && "is-open",
    isEnded && "is-ended",
    state === "implementing" && "is-live",
  ];
  return (
    <PlainButton
      className={looks.filter(Boolean).join(" ")}
      aria-current={props.isChosen ? "true" : undefined}
      onClick={props.onOpen}
    >
      <span className="calendar-time">
        {isFirst ? `${toHour(plannedStart)}–${toHour(plannedEnd)}` : "continues"}
        {conflicts > 0 && <TriangleAlert role="img" aria-label="Has conflicts" />}
        <span className="hide">
          {risk.level} risk, {state === "submitted" ? "not approved yet" : state.replace("_", " ")}
        </span>
      </span>
      <span className="calendar-title">{change.title}</span>
    </PlainButton>
  );
}
