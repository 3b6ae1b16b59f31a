import "./runs.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Schemas, useOp } from "../data/api.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { useListKeys } from "../shell/list-keys.ts";
import { State, toneOf } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { toDuration, toWords } from "../ui/words.ts";
import type { RunsSearch, RunStatus } from "./search.ts";
import { RunTrace } from "./trace.tsx";

const PAGE = 100;
const TABS: readonly (RunStatus | undefined)[] = [
  undefined,
  "running",
  "failed",
  "paused",
  "waiting",
  "completed",
];

/** What ran: a list that follows the log, and what one run did. */
export function Runs() {
  const { status, workflow, open } = useSearch({ from: "/inside/runs" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("runs.list", {
    query: { limit: PAGE, ...(status && { status }), ...(workflow && { workflowId: workflow }) },
  });
  const runs = data?.data ?? [];
  const show = (next: RunsSearch): void =>
    void navigate({ to: "/runs", search: { status, workflow, open, ...next }, replace: true });
  useListKeys({
    ids: runs.map(({ id }) => id),
    chosen: open,
    onChoose: (id) => show({ open: id }),
  });
  return (
    <div className="page">
      <header className="page-head">
        <h1>Runs</h1>
        <div className="tabs" role="group" aria-label="Status">
          {TABS.map((tab) => (
            <button
              key={tab ?? ""}
              aria-pressed={status === tab}
              onClick={() => show({ status: tab, open: undefined })}
            >
              {tab ? toWords(tab) : "All"}
            </button>
          ))}
        </div>
        {workflow !== undefined && (
          <button className="btn bare" onClick={() => show({ workflow: undefined })}>
            Of all workflows
          </button>
        )}
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      <div className={`runs${open === undefined ? "" : " has-open"}`}>
        {isPending && <Loading />}
        {!isPending && runs.length === 0 && !error && (
          <Empty
            title={status ? `No run is ${toWords(status).toLowerCase()}` : "Nothing has run yet"}
          >
            A run appears here as soon as a trigger starts a workflow.
          </Empty>
        )}
        {runs.length > 0 && <RunList runs={runs} open={open} onOpen={(id) => show({ open: id })} />}
        {open !== undefined && (
          <RunTrace key={open} runId={open} onClose={() => show({ open: undefined })} />
        )}
      </div>
    </div>
  );
}

function RunList(props: {
  readonly runs: readonly Schemas["Run"][];
  readonly open: string | undefined;
  readonly onOpen: (id: string) => void;
}) {
  const longestMs = Math.max(1, ...props.runs.map(({ durationMs }) => durationMs ?? 0));
  return (
    <div className="scroll runs-list" role="listbox" aria-label="Runs" tabIndex={0}>
      {props.runs.map((run) => (
        <RunRow
          key={run.id}
          run={run}
          share={(run.durationMs ?? 0) / longestMs}
          isOpen={run.id === props.open}
          onOpen={props.onOpen}
        />
      ))}
    </div>
  );
}

function RunRow(props: {
  readonly run: Schemas["Run"];
  readonly share: number;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}) {
  const { run, share } = props;
  return (
    <div
      role="option"
      aria-selected={props.isOpen}
      className="run-row"
      onClick={() => props.onOpen(run.id)}
    >
      <span className="run-state">
        <State state={run.status} />
      </span>
      <span className="grow cut">
        {run.workflowName}
        {run.version !== null && <span className="muted"> v{run.version}</span>}
        {run.test && <span className="tag plain idle">Test</span>}
        {run.error && <span className="run-error"> {run.error.message}</span>}
      </span>
      <span className="muted run-by cut">{toWords(run.triggerType)}</span>
      <span className="run-bar" aria-hidden="true">
        <i className={toneOf(run.status)} style={{ width: `${Math.max(2, share * 100)}%` }} />
      </span>
      <span className="run-ms">{toDuration(run.durationMs)}</span>
      <Ago at={run.createdAt} />
    </div>
  );
}
