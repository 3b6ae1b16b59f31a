import { Link } from "@tanstack/react-router";
import {
  CircleAlert,
  Clock,
  CornerDownRight,
  FlaskConical,
  Inbox,
  type LucideIcon,
  MousePointerClick,
  Radio,
  Webhook,
} from "lucide-react";
import { memo, useEffect, useLayoutEffect, useRef } from "react";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { State, toneOf } from "../../ui/state.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { toDuration } from "../../ui/words.ts";
import { plainMessage } from "../step/step-error.ts";
import { nameStart } from "../start-words.ts";
import type { Run } from "./run-book.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { CheckBox } from "../../ui/form/controls.tsx";

const ROW_PX = 34;
const NARROW_ROW_PX = 58;
const NEAR_END = 40;
const ICONS: Readonly<Record<string, LucideIcon>> = {
  manual: MousePointerClick,
  event_bus: Radio,
  schedule: Clock,
  webhook: Webhook,
  subworkflow: CornerDownRight,
  request: Inbox,
  error: CircleAlert,
  test: FlaskConical,
};

interface ListProps {
  readonly runs: readonly Run[];
  readonly cursor: string | undefined;
  readonly selection: Selection;
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly onMore: () => void;
  readonly onSelect: (id: string, isRange: boolean) => void;
}

/** A list of any length that renders only visible rows. */
export function RunList(props: ListProps) {
  const { runs, cursor, selection, hasMore } = props;
  const host = useRef<HTMLDivElement>(null);
  const rowPx = useIsNarrow() ? NARROW_ROW_PX : ROW_PX;
  const { from, to } = useRowWindow(host, rowPx, runs.length);
  const at = cursor === undefined ? -1 : runs.findIndex(({ id }) => id === cursor);
  const longestMs = Math.max(1, ...runs.slice(from, to).map(({ durationMs }) => durationMs ?? 0));
  const { onSelect, onMore } = useStableHandlers({
    onSelect: props.onSelect,
    onMore: props.onMore,
  });
  useAnchor(host, runs, rowPx);
  useEffect(() => {
    if (host.current && at >= 0) showRow(host.current, rowPx, at);
  }, [at, rowPx]);
  const isNearEnd = hasMore && to > runs.length - NEAR_END;
  useEffect(() => {
    // Requests one more page for each length of the list.
    if (isNearEnd) onMore();
  }, [isNearEnd, runs.length, onMore]);
  return (
    <div
      ref={host}
      className={`scroll runs-list${selection.ids.size > 0 ? " has-selection" : ""}`}
      role="grid"
      aria-label="Runs"
      aria-multiselectable="true"
      aria-rowcount={hasMore ? -1 : runs.length}
      aria-activedescendant={at >= from && at < to ? `row-${cursor}` : undefined}
      tabIndex={0}
    >
      <div className="runs-all" role="rowgroup" style={{ height: runs.length * rowPx }}>
        {runs.slice(from, to).map((run, n) => (
          <RunRow
            key={run.id}
            run={run}
            index={from + n}
            top={(from + n) * rowPx}
            share={(run.durationMs ?? 0) / longestMs}
            isAt={from + n === at}
            isSelected={selection.ids.has(run.id)}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}

/** Keeps the visible rows in place when rows are added at the top. */
function useAnchor(
  host: React.RefObject<HTMLDivElement | null>,
  runs: readonly Run[],
  rowPx: number,
): void {
  const before = useRef(runs);
  useLayoutEffect(() => {
    const { current } = host;
    const old = before.current;
    before.current = runs;
    if (!current || old === runs || current.scrollTop < rowPx) return;
    const wasAt = Math.floor(current.scrollTop / rowPx);
    const id = old[wasAt]?.id;
    const isAt = runs.findIndex((run) => run.id === id);
    if (isAt >= 0 && isAt !== wasAt) current.scrollTop += (isAt - wasAt) * rowPx;
  }, [host, runs, rowPx]);
}

interface RowProps {
  readonly run: Run;
  readonly index: number;
  readonly top: number;
  readonly share: number;
  readonly isAt: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (id: string, isRange: boolean) => void;
}

const RunRow = memo(function RunRow(props: RowProps) {
  const { run, onSelect } = props;
  const Icon = ICONS[run.triggerType] ?? Radio;
  return (
    <div
      id={`row-${run.id}`}
      role="row"
      aria-rowindex={props.index + 1}
      aria-selected={props.isSelected}
      className={`run-row${props.isAt ? " is-at" : ""}`}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <span role="gridcell" className="run-check">
        <CheckBox
          tabIndex={-1}
          aria-label={`Select ${run.workflowName}, ${run.id.slice(-6)}`}
          checked={props.isSelected}
          onClick={(event) => onSelect(run.id, event.shiftKey)}
          onChange={() => {}}
        />
      </span>
      <span role="gridcell" className="run-state">
        <State state={run.status} />
      </span>
      <span role="gridcell" className="run-what">
        <Link className="run-open cut" to="/runs/$id" params={{ id: run.id }} tabIndex={-1}>
          {run.workflowName}
        </Link>
        {run.version !== null && <span className="muted">v{run.version}</span>}
        {run.test && <span className="tag plain idle">Dry run</span>}
        {run.error && <span className="run-error cut">{plainMessage(run.error.message)}</span>}
      </span>
      <span role="gridcell" className="muted run-by cut" title={nameStart(run)}>
        <Icon className="ico" />
        <span className="cut">{nameStart(run)}</span>
      </span>
      <span role="gridcell" className="run-length" aria-hidden="true">
        <i className={toneOf(run.status)} style={{ width: `${Math.max(2, props.share * 100)}%` }} />
      </span>
      <span role="gridcell" className="run-ms">
        <Duration run={run} />
      </span>
      <span role="gridcell" className="run-age">
        <Ago at={run.createdAt} />
      </span>
    </div>
  );
});

function Duration({ run }: { readonly run: Run }) {
  if (run.durationMs !== null) return toDuration(run.durationMs);
  if (run.status !== "running" || run.startedAt === null) return null;
  return <Elapsed since={run.startedAt} />;
}

function Elapsed({ since }: { readonly since: string }) {
  const elapsedMs = useNow() - Date.parse(since);
  return toDuration(Math.max(0, Math.floor(elapsedMs / 1_000) * 1_000));
}
