import "./runs.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Ban, RotateCcw, Terminal } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useOp } from "../../data/api.ts";
import { toCurl } from "../../data/curl.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { useNow } from "../../ui/time.tsx";
import { toWords } from "../../ui/words.ts";
import { type CancelFilter, type RetryFilter, toCancelAll, toRetryAll } from "./bulk.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { CancelMany } from "./cancel-many.tsx";
import { RunFilters } from "./filters.tsx";
import { RetryMany } from "./retry-many.tsx";
import { RunList } from "./run-list.tsx";
import { isFiltered, type RunsSearch, type RunStatus, toListQuery } from "./search.ts";
import {
  keepListed,
  NOTHING,
  type Selection,
  selectRange,
  toggleOne,
} from "../../ui/behaviour/selection.ts";
import { useRunBook } from "./use-run-book.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

const MINUTE_MS = 60_000;
const TABS: readonly (RunStatus | undefined)[] = [
  undefined,
  "running",
  "failed",
  "paused",
  "waiting",
  "queued",
  "completed",
  "cancelled",
];

/** The list of runs: live, with filters, bulk retry and bulk cancel. */
export function Runs() {
  const search = useSearch({ from: "/inside/runs" });
  const navigate = useNavigate();
  const minute = Math.floor(useNow() / MINUTE_MS);
  const query = useMemo(() => toListQuery(search, minute * MINUTE_MS), [search, minute]);
  const { book, error, isFresh, isReading, readMore, refetch } = useRunBook(query);
  const { status: _, ...others } = query;
  const counts = useOp("runs.counts", { query: others }).data?.data;
  const runs = useMemo(() => book?.runs ?? [], [book]);
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  const show = (next: Partial<RunsSearch>): void =>
    void navigate({ to: "/runs", search: { ...search, ...next }, replace: true });
  const open = (id: string): void => void navigate({ to: "/runs/$id", params: { id } });
  const { cursor, selection, select, clear } = useRowKeys(ids, open);
  const curl = (): void =>
    void copyText(toCurl("/api/v1/runs", { ...query, limit: 100 }), "The curl command is");
  useActions([{ label: "Copy this list as curl", run: curl }]);
  const isEmpty = isFresh && runs.length === 0 && !error;
  return (
    <div className="page">
      <header className="page-head runs-head">
        <h1>Runs</h1>
        <div
          className="tabs"
          role="group"
          aria-label="Status"
          title={query.from === undefined ? "Counts of the last 24 hours" : undefined}
        >
          {TABS.map((tab) => (
            <PlainButton
              key={tab ?? ""}
              aria-pressed={search.status === tab}
              onClick={() => show({ status: tab })}
            >
              {tab ? toWords(tab) : "All"}
              {tab && (counts?.byStatus[tab] ?? 0) > 0 && (
                <span className="muted">{counts?.byStatus[tab].toLocaleString("en")}</span>
              )}
            </PlainButton>
          ))}
        </div>
        <span className="grow" />
        <ActOnAll
          isOffered={runs.length > 0}
          retry={toRetryAll(search, query)}
          cancel={toCancelAll(search, query)}
        />
        <Button look="bare" isIcon aria-label="Copy as curl" title="Copy as curl" onClick={curl}>
          <Terminal />
        </Button>
      </header>
      <RunFilters search={search} onChange={show} />
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      <div className="runs">
        {!book && !error && <Loading rows={14} />}
        {isEmpty && <NoRuns search={search} onClear={() => show(CLEAR)} />}
        {book && runs.length > 0 && (
          <RunList
            runs={runs}
            cursor={cursor}
            selection={selection}
            hasMore={book.next !== undefined}
            isReading={isReading}
            onMore={() => void readMore()}
            onSelect={select}
          />
        )}
      </div>
      <BulkBar runs={runs} selection={selection} onClear={clear} />
    </div>
  );
}

/** The focused row and the selected rows, with keyboard shortcuts. */
function useRowKeys(ids: readonly string[], onOpen: (id: string) => void) {
  const [cursor, setCursor] = useState<string>();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  useEffect(() => setSelection((old) => keepListed(old, ids)), [ids]);
  const select = (id: string | undefined, isRange: boolean): void => {
    if (id === undefined) return;
    setCursor(id);
    setSelection((old) => (isRange ? selectRange(old, ids, id) : toggleOne(old, id)));
  };
  const walk = (by: number, isRange = false): void => {
    const at = cursor === undefined ? -1 : ids.indexOf(cursor);
    const next = ids[Math.max(0, Math.min(ids.length - 1, at + by))];
    if (next === undefined) return;
    if (isRange && cursor !== undefined) {
      setSelection((old) =>
        selectRange(old.ids.size === 0 ? toggleOne(old, cursor) : old, ids, next),
      );
    }
    setCursor(next);
  };
  const clear = (): void => setSelection(NOTHING);
  useActions([
    { keys: "j", label: "Next run", run: () => walk(1) },
    { keys: "k", label: "Previous run", run: () => walk(-1) },
    { keys: "ArrowDown", label: "Next run", run: () => walk(1), hidden: true },
    { keys: "ArrowUp", label: "Previous run", run: () => walk(-1), hidden: true },
    { keys: "shift+ArrowDown", label: "Select down", run: () => walk(1, true) },
    { keys: "shift+ArrowUp", label: "Select up", run: () => walk(-1, true) },
    { keys: "Enter", label: "Open run", run: () => cursor !== undefined && onOpen(cursor) },
    { keys: "x", label: "Select run", run: () => select(cursor, false) },
    {
      keys: "mod+a",
      label: "Select all listed runs",
      run: () => setSelection({ ids: new Set(ids), anchor: ids[0] }),
    },
    { keys: "Escape", label: "Clear selection", run: clear, hidden: true },
  ]);
  return { cursor, selection, select, clear };
}

/** Retries or cancels all runs that match the filters, including those that are not loaded. */
function ActOnAll(props: {
  readonly isOffered: boolean;
  readonly retry: RetryFilter | undefined;
  readonly cancel: CancelFilter | undefined;
}) {
  const mayTrigger = useMay()("workflows.trigger");
  const [isAsked, setAsked] = useState(false);
  const { retry, cancel } = props;
  if (!retry && !cancel) return null;
  // An open dialog stays while the list reloads.
  if (!props.isOffered && !isAsked) return null;
  const close = (): void => setAsked(false);
  const refusal = retry
    ? "You don't have permission to start workflows."
    : "You don't have permission to cancel runs.";
  return (
    <>
      <Button
        disabled={!mayTrigger}
        title={mayTrigger ? "All matching runs, including those not listed" : refusal}
        onClick={() => setAsked(true)}
      >
        {retry ? <RotateCcw /> : <Ban />} {retry ? "Retry all…" : "Cancel all…"}
      </Button>
      {isAsked && retry && <RetryMany filters={[retry]} left={[]} onDone={close} onClose={close} />}
      {isAsked && cancel && <CancelMany filter={cancel} left={[]} onDone={close} onClose={close} />}
    </>
  );
}

const CLEAR: RunsSearch = {
  status: undefined,
  workflow: undefined,
  trigger: undefined,
  since: undefined,
  until: undefined,
  version: undefined,
  tests: undefined,
  q: undefined,
};

function NoRuns({
  search,
  onClear,
}: {
  readonly search: RunsSearch;
  readonly onClear: () => void;
}) {
  const { status } = search;
  if (isFiltered(search)) {
    return (
      <Empty title="No matching runs" action={<Button onClick={onClear}>Show all runs</Button>}>
        No run matches all filters. Remove a filter to see more.
      </Empty>
    );
  }
  return (
    <Empty title={status ? `No ${toWords(status).toLowerCase()} runs` : "No runs yet"}>
      A run appears here when a trigger starts a workflow.
    </Empty>
  );
}
