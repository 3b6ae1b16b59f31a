import { Link } from "@tanstack/react-router";
import { Ban, RotateCcw, X } from "lucide-react";
import { useEffect, useState } from "react";
import { cache, call, query, type Schemas, useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { readStream } from "../data/stream.ts";
import { useActions } from "../shell/actions.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Json } from "../ui/json.tsx";
import { State, toneOf } from "../ui/state.tsx";
import { Ago, useNow } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { toDuration, toWords } from "../ui/words.ts";
import { layOutWaterfall } from "./waterfall.ts";

type Step = Schemas["RunStep"];
type Run = Schemas["TracedRun"];

const OVER = new Set(["completed", "failed", "cancelled"]);
const REFRESH_MS = 200;

/** Reads a run anew whenever its stream tells of a step, until it is over. */
function useLiveRun(runId: string) {
  const result = useOp("runs.get", { params: { runId } });
  const status = result.data?.data.status;
  const isUnderWay = status !== undefined && !OVER.has(status);
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void cache.invalidateQueries({
          queryKey: query("runs.get", { params: { runId } }).queryKey,
        });
      }, REFRESH_MS);
    };
    void readStream(`/api/v1/runs/${runId}/stream`, { each: refresh, signal: left.signal });
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [runId, isUnderWay]);
  return result;
}

/** What a run did, on one axis of time; a step shows what went in, what came out and what it logged. */
export function RunTrace({
  runId,
  onClose,
}: {
  readonly runId: string;
  readonly onClose: () => void;
}) {
  const { data, error, refetch } = useLiveRun(runId);
  const [chosen, setChosen] = useState<string>();
  const run = data?.data;
  if (error && !run) {
    return (
      <section className="trace" aria-label="Run">
        <ErrorNotice error={error} retry={() => void refetch()} />
      </section>
    );
  }
  if (!run) {
    return (
      <section className="trace" aria-label="Run">
        <Loading />
      </section>
    );
  }
  const { steps } = run.trace;
  const step =
    steps.find(({ id }) => id === chosen) ??
    steps.find(({ status }) => status === "failed") ??
    steps.find(({ status }) => status !== "skipped");
  return (
    <section className="trace" aria-label="Run">
      <TraceHead run={run} onClose={onClose} />
      {run.error && <RunError error={run.error} />}
      <Waterfall run={run} chosen={step?.id} onChoose={setChosen} />
      {step && <StepValues step={step} />}
      <p className="muted trace-foot">
        Started <Ago at={run.createdAt} /> by {run.startedBy.name},{" "}
        {toWords(run.triggerType).toLowerCase()}.
        {run.trace.truncated && ` ${steps.length} of ${run.trace.total} steps are shown.`}
      </p>
    </section>
  );
}

function TraceHead({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const mayTrigger = useMay()("workflows:trigger");
  const isOver = OVER.has(run.status);
  const params = { runId: run.id };
  const retry = async (): Promise<void> => {
    await call("runs.retry", { params, body: {} });
    notify("It goes on where it failed.");
  };
  const cancel = async (): Promise<void> => {
    await call("runs.cancel", { params });
    notify("The run is cancelled.");
  };
  const canRetry = mayTrigger && (run.status === "failed" || run.status === "cancelled");
  const canCancel = mayTrigger && !isOver;
  useActions([
    ...(canRetry
      ? [{ keys: "r", label: "Retry the run", run: () => void retry().catch(notifyError) }]
      : []),
    ...(canCancel
      ? [{ keys: "x", label: "Cancel the run", run: () => void cancel().catch(notifyError) }]
      : []),
  ]);
  return (
    <header className="trace-head">
      <State state={run.status} />
      <Link
        className="trace-name cut"
        to="/runs"
        search={{ workflow: run.workflowId, open: run.id }}
      >
        {run.workflowName}
      </Link>
      <span className="mono muted cut">{run.id}</span>
      <span className="grow" />
      {canRetry && (
        <button className="btn" onClick={() => void retry().catch(notifyError)}>
          <RotateCcw /> Retry
        </button>
      )}
      {canCancel && (
        <button className="btn" onClick={() => void cancel().catch(notifyError)}>
          <Ban /> Cancel
        </button>
      )}
      <button className="btn bare icon" aria-label="Close" onClick={onClose}>
        <X />
      </button>
    </header>
  );
}

function RunError({ error }: { readonly error: NonNullable<Run["error"]> }) {
  return (
    <div className="problem trace-error" role="alert">
      <span>
        {error.message}
        {error.field !== undefined && <span className="mono"> {error.field}</span>}
        {error.expression !== undefined && <code className="mono"> {error.expression}</code>}
      </span>
    </div>
  );
}

function Waterfall(props: {
  readonly run: Run;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const { lengthMs, bars } = layOutWaterfall(props.run, useNow());
  return (
    <div className="fall">
      <div className="fall-axis" aria-hidden="true">
        <span>0</span>
        <span>{toDuration(lengthMs / 2)}</span>
        <span>{toDuration(lengthMs)}</span>
      </div>
      <div role="listbox" aria-label="Steps" tabIndex={0}>
        {bars.map(({ step, from, to }) => (
          <div
            key={step.id}
            className="fall-row"
            role="option"
            aria-selected={step.id === props.chosen}
            onClick={() => props.onChoose(step.id)}
          >
            <span className="cut">{step.name}</span>
            <span className="fall-track" aria-hidden="true">
              <i
                className={toneOf(step.status)}
                style={{ left: `${from * 100}%`, width: `max(3px, ${(to - from) * 100}%)` }}
              />
            </span>
            <span className="muted fall-ms">{toDuration(step.durationMs)}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function StepValues({ step }: { readonly step: Step }) {
  return (
    <div className="io">
      <div>
        <h3>Input of {step.name}</h3>
        <Json value={step.input ?? null} label="Input" />
      </div>
      <div>
        <h3>
          {step.error ? "Error" : "Output"}
          {step.branch !== undefined && <span className="tag plain idle">{step.branch}</span>}
          {step.attempts > 1 && <span className="muted">{step.attempts} attempts</span>}
        </h3>
        {step.wait && <StepWait wait={step.wait} />}
        {step.error ? (
          <RunError error={step.error} />
        ) : (
          <Json value={step.output ?? null} label="Output" />
        )}
        {step.logs.map(({ at, level, message }, n) => (
          <p key={`${at}:${n}`} className="mono muted log-line">
            {level} {message}
          </p>
        ))}
      </div>
    </div>
  );
}

function StepWait({ wait }: { readonly wait: NonNullable<Step["wait"]> }) {
  const until = wait.until === null ? "" : ` until ${new Date(wait.until).toLocaleString()}`;
  const reasons = {
    delay: `Waits${until}.`,
    event: `Waits for ${wait.eventType ?? wait.topic ?? "an event"}${until}.`,
    approval: wait.message ?? `Waits for a decision${until}.`,
    child: "Waits for the workflow that it started.",
    retry: `Tries again${until}.`,
  };
  return <p className="notice">{reasons[wait.kind]}</p>;
}
