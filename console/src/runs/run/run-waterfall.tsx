import "./waterfall.css";
import { ChevronRight } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useActions } from "../../shell/actions.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { toneOf } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { count, toDuration, toWords } from "../../ui/words.ts";
import { findHeaviest } from "../../workflows/index.ts";
import { type Stretch, STRETCH_ITEMS, useStepPages, useStretches } from "../step/loop-steps.ts";
import type { LiveSteps, TracedRun } from "./live-run.ts";
import { readStepPlace, rowIdOf, type StepPlace } from "../step/step-place.ts";
import { type Axis, findBusySpans, measureAxis, placeSpan, placeTime } from "./time-axis.ts";
import {
  buildStepTree,
  type FallRow,
  listFallRows,
  listPlainRows,
  listStretches,
  UNREAD,
  wayTo,
} from "./waterfall.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const ROW_PX = 28;
const NARROW_ROW_PX = 44;
const INDENT_PX = 14;
const TELLING = ["failed", "running", "waiting", "paused"] as const;

/** The steps on a time axis. Loops expand into items; failed and waiting steps are found with the status filter. */
export function RunWaterfall(props: {
  readonly run: TracedRun;
  readonly live: LiveSteps;
  readonly place: StepPlace;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { run, live, place } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [status, setStatus] = useState<string>();
  const host = useRef<HTMLDivElement>(null);
  const rowPx = useIsNarrow() ? NARROW_ROW_PX : ROW_PX;
  const { rows, sight, hasMore } = useFallRows({ run, live, open, status, host, rowPx });
  const rowId = rowIdOf(place);
  const chosen = useMemo(() => rows.findIndex(({ id }) => id === rowId), [rows, rowId]);
  const nowMs = useNow();
  const busy = useMemo(() => findBusySpans([...live.steps.values(), ...innerNodes(live)]), [live]);
  const axis = measureAxis(run, busy, nowMs);
  useEffect(() => {
    if (host.current && chosen >= 0) showRow(host.current, rowPx, chosen);
  }, [chosen, rowPx]);
  const choose = (row: FallRow): void => props.onChoose(readStepPlace(row.id, undefined));
  const fold = (row: FallRow | undefined, isOpen: boolean): void => {
    if (row?.isOpen === undefined || row.isOpen === isOpen) return;
    setOpen((old) => old.symmetricDifference(new Set([row.id])));
  };
  const walk = (by: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, chosen + by))];
    if (row) choose(row);
  };
  useActions([
    { keys: "j", label: "Next step", run: () => walk(1) },
    { keys: "k", label: "Previous step", run: () => walk(-1) },
    { keys: "l", label: "Expand loop or item", run: () => fold(rows[chosen], true) },
    { keys: "h", label: "Collapse loop or item", run: () => fold(rows[chosen], false) },
  ]);
  return (
    <section className="fall" aria-label="Waterfall">
      <header className="fall-head">
        <StatusFilter
          nodes={live.nodes}
          status={status}
          onStatus={(next) => {
            setStatus(next);
            if (next === undefined && rows[chosen]) {
              setOpen((old) => old.union(new Set(wayTo(rows[chosen]?.id ?? ""))));
            }
          }}
        />
      </header>
      <Scale axis={axis} />
      <div ref={host} className="fall-rows scroll" role="listbox" aria-label="Steps" tabIndex={0}>
        <div className="fall-all" style={{ height: rows.length * rowPx }}>
          {rows.slice(sight.from, sight.to).map((row, n) => (
            <WaterfallRow
              key={row.id}
              row={row}
              axis={axis}
              top={(sight.from + n) * rowPx}
              position={{ at: sight.from + n + 1, of: hasMore ? -1 : rows.length }}
              isChosen={sight.from + n === chosen}
              onChoose={() => choose(row)}
              onFold={() => fold(row, row.isOpen !== true)}
            />
          ))}
        </div>
        {rows.length === 0 && live.isRead && (
          <p className="muted fall-none">No steps have started yet.</p>
        )}
      </div>
    </section>
  );
}

/** Nodes in loops whose steps are not loaded are drawn from their first start to their last end. */
const innerNodes = ({ nodes }: LiveSteps) =>
  Array.from(nodes.values())
    .filter(({ key }) => key.includes("/"))
    .map((node) => ({ ...node, status: findHeaviest(node.statuses) }));

interface RowsAsked {
  readonly run: TracedRun;
  readonly live: LiveSteps;
  readonly open: ReadonlySet<string>;
  readonly status: string | undefined;
  readonly host: RefObject<HTMLDivElement | null>;
  readonly rowPx: number;
}

/** The rows and the visible ones; loads the items that these need. */
function useFallRows({ run, live, open, status, host, rowPx }: RowsAsked) {
  const failures = useMemo(
    () => new Map(Array.from(live.nodes.values(), ({ key, loop }) => [key, loop?.failed ?? 0])),
    [live.nodes],
  );
  const [stretches, setStretches] = useState<readonly Stretch[]>([]);
  const inner = useStretches(run.id, stretches);
  const found = useStepPages(run.id, status === undefined ? undefined : { status });
  const rows = useMemo(() => {
    if (status !== undefined) return listPlainRows(found.steps);
    return listFallRows(buildStepTree([...live.steps.values(), ...inner]), open, failures);
  }, [status, found.steps, live.steps, inner, open, failures]);
  const sight = useRowWindow(host, rowPx, rows.length);
  useEffect(() => {
    if (status !== undefined) return;
    const next = listStretches(rows.slice(sight.from, sight.to), open, STRETCH_ITEMS);
    setStretches((old) => (isEqual(old, next) ? old : next));
  }, [rows, sight.from, sight.to, open, status]);
  const isAtEnd = status !== undefined && sight.to >= rows.length;
  const { readMore } = useStableHandlers({ readMore: found.readMore });
  useEffect(() => {
    if (isAtEnd) readMore();
  }, [isAtEnd, rows.length, readMore]);
  return { rows, sight, hasMore: status !== undefined && found.hasMore };
}

const isEqual = (a: readonly Stretch[], b: readonly Stretch[]): boolean =>
  a.length === b.length &&
  a.every(({ loop, first }, n) => b[n]?.loop === loop && b[n]?.first === first);

/** The duration of the run, and the waits that are shortened. */
function Scale({ axis }: { readonly axis: Axis }) {
  return (
    <div className="fall-scale" aria-hidden="true">
      <span className="fall-axis">
        <span>0</span>
        {axis.quiet.map((span) => (
          <i
            key={span.startMs}
            style={{
              left: `${((placeTime(axis, span.startMs) + placeTime(axis, span.endMs)) / 2) * 100}%`,
            }}
          >
            ⋯ {toDuration(span.endMs - span.startMs)} ⋯
          </i>
        ))}
        {axis.quiet.at(-1)?.endMs !== axis.endMs && (
          <span>{toDuration(axis.endMs - axis.startMs)}</span>
        )}
      </span>
    </div>
  );
}

function StatusFilter(props: {
  readonly nodes: LiveSteps["nodes"];
  readonly status: string | undefined;
  readonly onStatus: (status: string | undefined) => void;
}) {
  const counts = useMemo(() => {
    const all = new Map<string, number>();
    for (const { statuses } of props.nodes.values()) {
      for (const [name, n] of Object.entries(statuses)) all.set(name, (all.get(name) ?? 0) + n);
    }
    return all;
  }, [props.nodes]);
  const taken = [...counts].reduce((sum, [name, n]) => (name === "skipped" ? sum : sum + n), 0);
  return (
    <div className="fall-filter" role="group" aria-label="Status of steps">
      <PlainButton
        aria-pressed={props.status === undefined}
        onClick={() => props.onStatus(undefined)}
      >
        {count(taken, "step")}
      </PlainButton>
      {TELLING.filter((name) => counts.has(name) || name === props.status).map((name) => (
        <PlainButton
          key={name}
          className={toneOf(name)}
          aria-pressed={props.status === name}
          onClick={() => props.onStatus(props.status === name ? undefined : name)}
        >
          {(counts.get(name) ?? 0).toLocaleString("en")} {toWords(name).toLowerCase()}
        </PlainButton>
      ))}
    </div>
  );
}

function WaterfallRow(props: {
  readonly row: FallRow;
  readonly axis: Axis;
  readonly top: number;
  readonly position: { readonly at: number; readonly of: number };
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onFold: () => void;
}) {
  const { row, axis } = props;
  const { from, to } = placeSpan(row, axis);
  const durationMs =
    row.startMs === undefined || row.endMs === undefined ? undefined : row.endMs - row.startMs;
  const fold = (event: React.MouseEvent): void => {
    event.stopPropagation();
    props.onFold();
  };
  return (
    <div
      role="option"
      aria-selected={props.isChosen}
      aria-posinset={props.position.at}
      aria-setsize={props.position.of}
      className={`fall-row${row.step ? "" : " is-item"}`}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={props.onChoose}
    >
      <span className="fall-name" style={{ paddingLeft: row.depth * INDENT_PX }}>
        {row.isOpen === undefined ? (
          <i className="fall-leaf" />
        ) : (
          <i className={`fall-fold${row.isOpen ? " is-open" : ""}`} onClick={fold}>
            <ChevronRight />
          </i>
        )}
        <i className={`fall-dot ${toneOf(row.status)}`} />
        <span className="cut">{row.label}</span>
        {row.items && (
          <span className="muted fall-items">
            {count(row.items.count, "item")}
            {row.items.failed > 0 && <em> {row.items.failed} failed</em>}
          </span>
        )}
        {row.status !== UNREAD && <span className="hide">, {toWords(row.status)}</span>}
      </span>
      <span className="fall-track" aria-hidden="true">
        <i
          className={`${toneOf(row.status)}${row.endMs === undefined ? " is-open" : ""}`}
          style={{ left: `${from * 100}%`, width: `max(3px, ${(to - from) * 100}%)` }}
        />
      </span>
      <span className="muted fall-ms">{toDuration(durationMs)}</span>
    </div>
  );
}
