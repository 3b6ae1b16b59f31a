import "./waterfall.css";
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useActions } from "../../shell/actions.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import { toneOf } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { count, toDuration, toWords } from "../../ui/words.ts";
import type { LiveSteps, TracedRun } from "./live-run.ts";
import { readStepPlace, rowIdOf, type StepPlace } from "../step/step-place.ts";
import { type Axis, findBusySpans, measureAxis, placeSpan, placeTime } from "./time-axis.ts";
import { buildStepTree, type FallRow, listFallRows, listStepsWith, wayTo } from "./waterfall.ts";

const ROW_PX = 28;
const NARROW_ROW_PX = 44;
const INDENT_PX = 14;
const TELLING = ["failed", "running", "waiting", "paused"] as const;

/** The steps on one axis of time. Loops unfold into items; what failed or waits is found by its status. */
export function RunWaterfall(props: {
  readonly run: TracedRun;
  readonly live: LiveSteps;
  readonly place: StepPlace;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { run, place } = props;
  const { steps } = props.live;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [status, setStatus] = useState<string>();
  const host = useRef<HTMLDivElement>(null);
  const rowPx = useIsNarrow() ? NARROW_ROW_PX : ROW_PX;
  const tree = useMemo(() => buildStepTree(steps.values()), [steps]);
  const rows = useMemo(
    () => (status === undefined ? listFallRows(tree, open) : listStepsWith(steps.values(), status)),
    [tree, open, status, steps],
  );
  const rowId = rowIdOf(place);
  const chosen = useMemo(() => rows.findIndex(({ id }) => id === rowId), [rows, rowId]);
  const nowMs = useNow();
  const busy = useMemo(() => findBusySpans(steps.values()), [steps]);
  const axis = measureAxis(run, busy, nowMs);
  const { from, to } = useRowWindow(host, rowPx, rows.length);
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
    { keys: "l", label: "Unfold the loop or item", run: () => fold(rows[chosen], true) },
    { keys: "h", label: "Fold the loop or item", run: () => fold(rows[chosen], false) },
  ]);
  return (
    <section className="fall" aria-label="Waterfall">
      <header className="fall-head">
        <StatusFilter
          steps={steps}
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
          {rows.slice(from, to).map((row, n) => (
            <WaterfallRow
              key={row.id}
              row={row}
              axis={axis}
              top={(from + n) * rowPx}
              position={{ at: from + n + 1, of: rows.length }}
              isChosen={from + n === chosen}
              onChoose={() => choose(row)}
              onFold={() => fold(row, row.isOpen !== true)}
            />
          ))}
        </div>
        {rows.length === 0 && props.live.isWhole && (
          <p className="muted fall-none">No step has begun yet.</p>
        )}
      </div>
    </section>
  );
}

/** How long the run took, and the waits that are drawn short. */
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
  readonly steps: LiveSteps["steps"];
  readonly status: string | undefined;
  readonly onStatus: (status: string | undefined) => void;
}) {
  const counts = useMemo(() => {
    const all = new Map<string, number>();
    for (const { status } of props.steps.values()) all.set(status, (all.get(status) ?? 0) + 1);
    return all;
  }, [props.steps]);
  const taken = props.steps.size - (counts.get("skipped") ?? 0);
  return (
    <div className="fall-filter" role="group" aria-label="Status of steps">
      <button aria-pressed={props.status === undefined} onClick={() => props.onStatus(undefined)}>
        {count(taken, "step")}
      </button>
      {TELLING.filter((name) => counts.has(name) || name === props.status).map((name) => (
        <button
          key={name}
          className={toneOf(name)}
          aria-pressed={props.status === name}
          onClick={() => props.onStatus(props.status === name ? undefined : name)}
        >
          {counts.get(name) ?? 0} {toWords(name).toLowerCase()}
        </button>
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
        <span className="hide">, {toWords(row.status)}</span>
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
