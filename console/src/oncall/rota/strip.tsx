import { type PointerEvent, useRef, useState } from "react";
import { useNames } from "../../data/names/names.ts";
import { listDays, toDayKey, toSpan } from "../../changes/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { useNow } from "../../ui/time.tsx";
import { type Frame, momentAt, placeSpan, type Span, spanOf } from "./strip-place.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const HOUR_MS = 3_600_000;
const DRAG_PX = 5;
const HUES = 12;
/** With more days, the timeline has no space for day names. */
const LONG_DAYS = 16;

export interface Block extends Span {
  readonly userId: string;
  /** True for an override. */
  readonly isOverride?: boolean;
  /** A warning, such as that the person is absent. */
  readonly warning?: string | undefined;
}

export interface Lane<B extends Block = Block> {
  readonly key: string;
  readonly label: string;
  readonly blocks: readonly B[];
  /** The lane with the resulting shifts; other lanes are below it. */
  readonly isMain?: boolean;
}

interface StripProps<B extends Block> {
  readonly label: string;
  readonly first: Date;
  readonly days: number;
  readonly lanes: readonly Lane<B>[];
  readonly onPick?: ((block: B) => void) | undefined;
  /** Called after dragging on the main lane. */
  readonly onDraw?: ((span: Span) => void) | undefined;
}

const weekdays = new Intl.DateTimeFormat("en-GB", { weekday: "short" });

/** Shifts of people over days, in lanes. Users can draw on the main lane; every block is a button. */
export function Strip<B extends Block>(props: StripProps<B>) {
  const { first, days, lanes, label } = props;
  const shown = listDays(first, days);
  const frame = {
    fromMs: first.getTime(),
    untilMs: shown.at(-1)?.end.getTime() ?? first.getTime(),
  };
  const today = toDayKey(new Date());
  const nowMs = useNow();
  const now = placeSpan(
    { from: new Date(nowMs).toISOString(), until: new Date(nowMs + HOUR_MS).toISOString() },
    frame,
  );
  return (
    <div
      className={days > LONG_DAYS ? "shift-strip long" : "shift-strip"}
      role="group"
      aria-label={label}
    >
      <div className="shift-days" aria-hidden="true">
        {shown.map(({ key, start }) => (
          <span key={key} className={dayClass(start, key === today)}>
            <i>{weekdays.format(start)}</i> {start.getDate()}
          </span>
        ))}
      </div>
      {lanes.map((lane) => (
        <LaneRow key={lane.key} lane={lane} frame={frame} {...props} />
      ))}
      {now && (
        <div className="shift-over" aria-hidden="true">
          <i className="shift-now" style={{ left: `${now.left}%` }} />
        </div>
      )}
    </div>
  );
}

function dayClass(start: Date, isToday: boolean): string {
  const isFree = start.getDay() === 0 || start.getDay() === 6;
  return `shift-day${isToday ? " today" : ""}${isFree ? " free" : ""}`;
}

interface LaneRowProps<B extends Block> extends Pick<StripProps<B>, "onPick" | "onDraw"> {
  readonly lane: Lane<B>;
  readonly frame: Frame;
}

function LaneRow<B extends Block>({ lane, frame, onPick, onDraw }: LaneRowProps<B>) {
  const { drawn, handlers } = useDraw(frame, lane.isMain ? onDraw : undefined);
  const place = drawn && placeSpan(drawn, frame);
  return (
    <div className={lane.isMain ? "shift-lane main" : "shift-lane"}>
      <span className="shift-label cut" title={lane.label}>
        {lane.label}
      </span>
      <div className={onDraw && lane.isMain ? "shift-track drawable" : "shift-track"} {...handlers}>
        {lane.blocks.map((block) => (
          <BlockButton
            key={`${block.from} ${block.userId}`}
            block={block}
            frame={frame}
            onPick={onPick}
          />
        ))}
        {place && drawn && (
          <span
            className="shift-drawn"
            style={{ left: `${place.left}%`, width: `${place.width}%` }}
          >
            {toSpan(drawn.from, drawn.until)}
          </span>
        )}
      </div>
    </div>
  );
}

interface BlockButtonProps<B extends Block> {
  readonly block: B;
  readonly frame: Frame;
  readonly onPick: ((block: B) => void) | undefined;
}

function BlockButton<B extends Block>({ block, frame, onPick }: BlockButtonProps<B>) {
  const nameOf = useNames();
  const place = placeSpan(block, frame);
  if (!place) return null;
  const name = nameOf(block.userId) ?? "Former member";
  const words = [
    toSpan(block.from, block.until),
    ...(block.isOverride ? ["override"] : []),
    ...(block.warning === undefined ? [] : [block.warning]),
  ].join(" · ");
  const look = `${block.isOverride ? " override" : ""}${block.warning === undefined ? "" : " warned"}`;
  return (
    <PlainButton
      type="button"
      className={`shift-block hue-${hueOf(name)}${look}`}
      style={{ left: `${place.left}%`, width: `${place.width}%` }}
      title={`${name} · ${words}`}
      disabled={onPick === undefined}
      onClick={() => onPick?.(block)}
    >
      <span className="shift-face" aria-hidden="true">
        <Avatar name={name} />
      </span>
      <span className="shift-name cut">{name}</span>
      <span className="hide"> · {words}</span>
    </PlainButton>
  );
}

const hueOf = (name: string): number =>
  Array.from(name, (letter) => letter.codePointAt(0) ?? 0).reduce((a, b) => a + b, 0) % HUES;

/** Dragging on the lane selects a period of full hours; a click without dragging stays a click. */
function useDraw(frame: Frame, onDraw: ((span: Span) => void) | undefined) {
  const start = useRef<{ readonly x: number; readonly ms: number }>(undefined);
  const [drawn, setDrawn] = useState<Span>();
  if (onDraw === undefined) return { drawn: undefined, handlers: {} };
  const msAt = (event: PointerEvent<HTMLDivElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return momentAt((event.clientX - left) / width, frame, HOUR_MS);
  };
  const end = (): void => {
    start.current = undefined;
    setDrawn(undefined);
  };
  return {
    drawn,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
        if (event.button === 0) start.current = { x: event.clientX, ms: msAt(event) };
      },
      onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
        const { current } = start;
        if (!current || (!drawn && Math.abs(event.clientX - current.x) < DRAG_PX)) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrawn(spanOf(current.ms, msAt(event), HOUR_MS));
      },
      onPointerUp: () => {
        if (drawn) onDraw(drawn);
        end();
      },
      onPointerCancel: end,
    },
  };
}
