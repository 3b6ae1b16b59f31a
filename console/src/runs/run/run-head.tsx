import { Link } from "@tanstack/react-router";
import {
  ArrowLeft,
  Ban,
  ChevronDown,
  Copy,
  Ellipsis,
  GitFork,
  Hash,
  PencilRuler,
  RotateCcw,
  Terminal,
} from "lucide-react";
import { useState } from "react";
import { toCurl } from "../../data/curl.ts";
import { useMay } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Keys } from "../../ui/key.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { State } from "../../ui/state.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { toDuration } from "../../ui/words.ts";
import type { RunStep } from "../../workflows/index.ts";
import { nameStart } from "../start-words.ts";
import type { TracedRun } from "./live-run.ts";
import { findCancelRefusal, findRetryRefusal } from "./retry.ts";
import { RetryForm, type RetryWish, tellRetry } from "./retry-form.tsx";
import type { RunPageView } from "./search.ts";
import type { StepPlace } from "../step/step-place.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

interface HeadProps {
  readonly run: TracedRun;
  readonly place: StepPlace;
  readonly step: RunStep | undefined;
  readonly view: RunPageView;
  readonly onView: (view: RunPageView) => void;
}

/** The header of a run: title, status and actions. */
export function RunHead({ run, place, step, view, onView }: HeadProps) {
  return (
    <header className="page-head run-head">
      <Link className="btn bare icon" to="/runs" aria-label="All runs" title="All runs">
        <ArrowLeft />
      </Link>
      <State state={run.status} />
      <h1 className="cut run-title">{run.workflowName}</h1>
      {run.version !== null && <span className="muted">v{run.version}</span>}
      {run.test && <span className="tag plain idle">Dry run</span>}
      <span className="muted cut run-start">
        {nameStart(run)} · <Ago at={run.createdAt} /> · <RunClock run={run} />
      </span>
      <span className="grow" />
      <div className="tabs run-views" role="group" aria-label="View">
        {(["canvas", "waterfall", "both"] as const).map((name) => (
          <PlainButton key={name} aria-pressed={view === name} onClick={() => onView(name)}>
            {{ canvas: "Canvas", waterfall: "Waterfall", both: "Both" }[name]}
          </PlainButton>
        ))}
      </div>
      <RunActs run={run} place={place} step={step} />
    </header>
  );
}

function RunClock({ run }: { readonly run: TracedRun }) {
  const now = useNow();
  if (run.durationMs !== null) return toDuration(run.durationMs);
  if (run.startedAt === null) return "not started";
  return toDuration(Math.max(0, Math.floor((now - Date.parse(run.startedAt)) / 1_000) * 1_000));
}

/** The actions on a run, with reasons if they are disabled. */
function useRunActs(run: TracedRun, step: RunStep | undefined, ask: () => void) {
  const mayTrigger = useMay()("runs.retry");
  const refusals = {
    retry: findRetryRefusal(run, "failed", mayTrigger),
    restart: findRetryRefusal(run, "start", mayTrigger),
    cancel: findCancelRefusal(run, mayTrigger),
  };
  const params = { runId: run.id };
  const retry = (body: RetryWish): Promise<unknown> =>
    perform(
      "runs.retry",
      { params, body },
      {
        said: tellRetry(body),
      },
    );
  const cancel = (): Promise<unknown> =>
    perform("runs.cancel", { params }, { said: "Run cancelled." });
  const copyJson = async (): Promise<void> => {
    const reply = await perform("runs.get", { params, query: { steps: 2_000 } });
    if (reply) await copyText(JSON.stringify(reply.data, null, 2), "The JSON of the run is");
  };
  const copyCurl = (): void =>
    void copyText(toCurl(`/api/v1/runs/${run.id}`), "The curl command is");
  useActions([
    {
      keys: "r",
      label: "Retry run",
      run: () => void retry({}),
      disabled: refusals.retry,
      asks: {
        title: "Retry this run?",
        text: "The run continues at the step that failed, and calls other systems again.",
        act: "Retry",
      },
    },
    ...(step
      ? [
          {
            keys: "t",
            label: `Retry from “${step.name}”`,
            run: () => void retry({ from: step.id }),
            disabled: refusals.restart,
            asks: {
              title: `Retry from “${step.name}”?`,
              text: "A new run starts at this step, and calls other systems again.",
              act: "Retry",
            },
          },
        ]
      : []),
    { keys: "x", label: "Cancel run", run: ask, disabled: refusals.cancel },
    { label: "Copy run as JSON", run: () => void copyJson() },
    { label: "Copy as curl", run: copyCurl },
  ]);
  return { refusals, retry, cancel, copyJson, copyCurl };
}

function RunActs({ run, place, step }: Pick<HeadProps, "run" | "place" | "step">) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const { refusals, ...acts } = useRunActs(run, step, () => setAsking(true));
  return (
    <>
      {may("events.recent") && (
        <Link
          className="btn bare"
          to="/causes/$of"
          params={{ of: run.id }}
          title="Causes and effects of this run"
        >
          <GitFork /> Why?
        </Link>
      )}
      <Link
        className="btn bare run-edit"
        to="/workflows/$id"
        params={{ id: run.workflowId }}
        search={{ run: run.id, step: place.key }}
        title="Open the workflow with the data of this run"
      >
        <PencilRuler /> Open in editor
      </Link>
      {refusals.cancel === undefined && (
        <Button onClick={() => setAsking(true)} aria-keyshortcuts="x">
          <Ban /> Cancel <Keys keys="x" />
        </Button>
      )}
      {refusals.cancel !== undefined && (
        <RetryButton run={run} step={step} refusals={refusals} onRetry={acts.retry} />
      )}
      <Menu
        label="More"
        items={[
          { label: "Copy run as JSON", icon: <Copy />, onPick: () => void acts.copyJson() },
          { label: "Copy as curl", icon: <Terminal />, onPick: acts.copyCurl },
          {
            label: "Copy run ID",
            icon: <Hash />,
            onPick: () => void copyText(run.id, "The ID is"),
          },
        ]}
      >
        <Ellipsis />
      </Menu>
      {isAsking && (
        <Confirm
          title={`Cancel this run of ${run.workflowName}?`}
          act="Cancel run"
          keep="Keep running"
          onAct={() => {
            setAsking(false);
            void acts.cancel();
          }}
          onClose={() => setAsking(false)}
        >
          <p>Running calls and child runs are cancelled. You can retry the run later.</p>
        </Confirm>
      )}
    </>
  );
}

function RetryButton(props: {
  readonly run: TracedRun;
  readonly step: RunStep | undefined;
  readonly refusals: { readonly retry: string | undefined; readonly restart: string | undefined };
  readonly onRetry: (wish: RetryWish) => Promise<unknown>;
}) {
  const { refusals, onRetry } = props;
  const look = refusals.retry === undefined ? "btn main" : "btn";
  return (
    <span className="run-split">
      <PlainButton
        className={look}
        disabled={refusals.retry !== undefined}
        title={refusals.retry ?? "Retry from the failed step"}
        aria-keyshortcuts="r"
        onClick={() => void onRetry({})}
      >
        <RotateCcw /> Retry <Keys keys="r" />
      </PlainButton>
      <Popover
        label="Retry options"
        className={`${look} icon`}
        button={<ChevronDown />}
        disabled={refusals.restart}
      >
        {(close) => (
          <div className="run-retry">
            <RetryForm run={props.run} step={props.step} onClose={close} />
          </div>
        )}
      </Popover>
    </span>
  );
}
