import { type RefObject, useEffect, useRef } from "react";
import type { LogEvent } from "../../data/live/live.ts";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import { nameMaker, nameThing, tellTime } from "../event-words.ts";

const ROW_PX = 34;
/** The next page is loaded this many rows before the end. */
const AHEAD_ROWS = 20;

/** Shows a list with any number of events. Only visible rows are rendered, and more are loaded when scrolling. */
export function EventList(props: {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly events: readonly LogEvent[];
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onEnd: () => void;
  readonly onScroll: (isAtTop: boolean) => void;
  readonly foot: React.ReactNode;
}) {
  const { box, events, chosen, onEnd } = props;
  const { from, to } = useRowWindow(box, ROW_PX, events.length);
  const at = events.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (box.current && at >= 0) showRow(box.current, ROW_PX, at);
    // Only when the selection changes: new events move rows, and the view should not follow them.
  }, [chosen]);
  const last = useRef(-1);
  useEffect(() => {
    if (to < events.length - AHEAD_ROWS || last.current === events.length) return;
    last.current = events.length;
    onEnd();
  }, [to, events.length, onEnd]);
  return (
    <div
      ref={box}
      className="scroll events-list"
      role="grid"
      aria-label="Events"
      aria-rowcount={events.length}
      tabIndex={0}
      onScroll={({ currentTarget }) => props.onScroll(currentTarget.scrollTop < ROW_PX)}
    >
      <div role="rowgroup" style={{ height: events.length * ROW_PX, position: "relative" }}>
        <div style={{ transform: `translateY(${from * ROW_PX}px)` }}>
          {events.slice(from, to).map((event, n) => (
            <EventRow
              key={event.id}
              event={event}
              n={from + n}
              isChosen={event.id === chosen}
              onOpen={() => props.onOpen(event.id)}
            />
          ))}
        </div>
      </div>
      {props.foot}
    </div>
  );
}

function EventRow(props: {
  readonly event: LogEvent;
  readonly n: number;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}) {
  const { event } = props;
  const [space, ...rest] = event.type.split(".");
  const maker = nameMaker(event);
  return (
    <div
      role="row"
      className="event-row"
      aria-rowindex={props.n + 1}
      aria-selected={props.isChosen}
      onClick={props.onOpen}
    >
      <time role="gridcell" className="mono muted" dateTime={event.createdAt}>
        {tellTime(event.createdAt)}
      </time>
      <span role="gridcell" className="mono cut event-type">
        <span className="muted">{space}.</span>
        {rest.join(".")}
      </span>
      <span role="gridcell" className="cut">
        {nameThing(event)}
      </span>
      <span role="gridcell" className="cut muted">
        {event.actor.name}
        {maker !== undefined && ` · ${maker}`}
      </span>
    </div>
  );
}
