import { useRef } from "react";
import {
  countHours,
  DAYS,
  type Hours,
  isPaintable,
  paint,
  SLOTS,
  toHours,
  toTime,
  toWeek,
} from "./week.ts";
import { PlainButton } from "../../ui/form/button.tsx";

interface WeekGridProps {
  readonly hours: readonly Hours[];
  readonly onChange: (hours: readonly Hours[]) => void;
  readonly isDisabled: boolean;
  readonly error?: string | undefined;
}

/** A week of half hours: select by dragging, or with the arrow keys and Space. */
export function WeekGrid({ hours, onChange, isDisabled, error }: WeekGridProps) {
  const week = toWeek(hours);
  const brush = useRef<boolean>(undefined);
  const grid = useRef<HTMLDivElement>(null);
  if (!isPaintable(hours)) {
    return (
      <ul className="week-text">
        {hours.map(({ days, from, to }) => (
          <li key={`${days.join()}${from}`}>
            {days.map((day) => DAYS[day - 1]).join(", ")} {from}–{to}
          </li>
        ))}
      </ul>
    );
  }
  const set = (day: number, slot: number, isOn: boolean): void =>
    onChange(toHours(paint(week, [day, slot], isOn)));
  const walk = (event: React.KeyboardEvent, day: number, slot: number): void => {
    const by = {
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
    }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const [down = 0, right = 0] = by;
    grid.current?.querySelector<HTMLElement>(`[data-at="${day + down}-${slot + right}"]`)?.focus();
  };
  return (
    <div
      className="week"
      ref={grid}
      onPointerUp={() => (brush.current = undefined)}
      onPointerLeave={() => (brush.current = undefined)}
    >
      <p className="muted">
        {countHours(week)} hours a week. Drag to select hours, or use the arrow keys and Space.
      </p>
      <div className="week-rows" role="group" aria-label="Business hours">
        {week.map((line, day) => (
          <div key={DAYS[day]} className="week-row" role="group" aria-label={DAYS[day]}>
            <span className="week-day" aria-hidden="true">
              {DAYS[day]}
            </span>
            {line.map((isOn, slot) => (
              <PlainButton
                key={slot}
                type="button"
                data-at={`${day}-${slot}`}
                tabIndex={day === 0 && slot === 0 ? 0 : -1}
                className={`week-slot${slot % 2 === 0 ? " full" : ""}`}
                aria-pressed={isOn}
                aria-label={`${DAYS[day]} ${toTime(slot)}`}
                disabled={isDisabled}
                onKeyDown={(event) => walk(event, day, slot)}
                onClick={(event) => event.detail === 0 && set(day, slot, !isOn)}
                onPointerDown={(event) => {
                  event.currentTarget.releasePointerCapture(event.pointerId);
                  brush.current = !isOn;
                  set(day, slot, !isOn);
                }}
                onPointerEnter={() => {
                  if (brush.current !== undefined && brush.current !== isOn)
                    set(day, slot, brush.current);
                }}
              />
            ))}
          </div>
        ))}
        <div className="week-scale" aria-hidden="true">
          {Array.from({ length: SLOTS / 8 }, (_, n) => (
            <span key={n}>{toTime(n * 8)}</span>
          ))}
        </div>
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}
