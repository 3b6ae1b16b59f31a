import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { Fragment } from "react";
import { State } from "../../ui/state.tsx";
import { count, toDuration } from "../../ui/words.ts";
import {
  type Definition,
  findStep,
  itemsOf,
  kindOf,
  type LoopView,
  type NodeSummary,
  type RunStep,
  toStepKey,
} from "../../workflows/index.ts";
import type { TracedRun } from "../run/live-run.ts";
import { TRIGGER_STEP } from "../run/search.ts";
import { listSeenValues } from "./step-error.ts";
import { chooseItem, loopsAround, readStepPlace, type StepPlace } from "./step-place.ts";
import { AttemptSection } from "./attempts.tsx";
import { Conversation } from "../conversation/conversation-view.tsx";
import { LoopItems } from "./loop-items.tsx";
import { CallLine, ErrorSection, LogSection, ValueSection, WaitSection } from "./step-sections.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

interface PanelProps {
  readonly run: TracedRun;
  readonly step: RunStep;
  readonly steps: ReadonlyMap<string, RunStep>;
  readonly nodes: ReadonlyMap<string, NodeSummary>;
  readonly place: StepPlace;
  /** For loops: the status of the items. */
  readonly loop: LoopView | undefined;
  readonly definition: Definition | undefined;
  readonly onChoose: (place: StepPlace) => void;
}

/** One step: its error or wait, input, output and logs. */
export function StepPanel(props: PanelProps) {
  const { run, step, definition, onChoose } = props;
  const key = toStepKey(step.id);
  const node = definition && findStep(definition, key);
  const { icon: Icon, title, tone } = kindOf(step.type ?? "");
  return (
    <div className="run-panel scroll">
      <StepWay {...props} />
      <header className="run-step-head">
        <span className={`step-icon k-${tone}`}>
          <Icon />
        </span>
        <div className="grow">
          <h2 className="cut">{step.name}</h2>
          <p className="muted cut">
            {title}
            {step.durationMs !== null && ` · ${toDuration(step.durationMs)}`}
            {step.attempts > 1 && ` · ${count(step.attempts, "attempt")}`}
          </p>
        </div>
        <State state={step.status} />
        <Button
          look="bare"
          isIcon
          aria-label="Close step"
          onClick={() => onChoose({ key: TRIGGER_STEP, items: props.place.items })}
        >
          <X />
        </Button>
      </header>
      {step.wait && step.finishedAt === null && (
        <WaitSection wait={step.wait} runId={run.id} stepId={step.id} />
      )}
      {step.error && (
        <ErrorSection
          error={step.error}
          config={node?.config}
          seen={listSeenValues(step.error.expression ?? "", step.id, {
            trigger: run.trigger,
            outputs: props.steps,
          })}
        >
          <FailureWay step={step} onChoose={onChoose} />
        </ErrorSection>
      )}
      <CallLine step={step} />
      {step.childRunId !== undefined && (
        <p className="run-branch">
          <Link className="run-link" to="/runs/$id" params={{ id: step.childRunId }}>
            Open child run
          </Link>
        </p>
      )}
      {(step.attempts > 1 || step.status === "failed") && (
        <AttemptSection runId={run.id} step={step} />
      )}
      {step.type === "agent" && run.redacted !== true && (
        <Conversation runId={run.id} step={step} nodes={props.nodes} onChoose={onChoose} />
      )}
      {props.loop && step.type !== "agent" && (
        <LoopItems {...props} runId={run.id} loopKey={key} loop={props.loop} />
      )}
      {step.branch !== undefined && step.branch !== "error" && (
        <p className="run-branch">
          Resumed by <b>{step.branch}</b>
        </p>
      )}
      <StepValues run={run} step={step} />
      <LogSection logs={step.logs} />
      <footer className="run-foot">
        <Link
          className="run-link"
          to="/workflows/$id"
          params={{ id: run.workflowId }}
          search={{ run: run.id, step: key }}
        >
          Use data of this run in the editor
        </Link>
        <span className="muted mono cut">{step.id}</span>
      </footer>
    </div>
  );
}

/** The input and output of a step, for users with permission. */
function StepValues({ run, step }: Pick<PanelProps, "run" | "step">) {
  if (run.redacted === true) {
    return (
      <p className="notice">
        Input and output are hidden: you don't have permission to read traces.
      </p>
    );
  }
  return (
    <>
      {step.error?.body !== undefined && (
        <ValueSection title="Response" path="error.body" value={step.error.body} none="" />
      )}
      {!(step.error && step.output === undefined) && (
        <ValueSection
          title="Output"
          path={`steps.${step.nodeId}.output`}
          value={step.output}
          none={step.finishedAt === null ? "No output yet." : "Empty."}
        />
      )}
      <ValueSection title="Input" path="input" value={step.input} none="Empty." />
    </>
  );
}

/** The effect of a failure, with a link to the failed step in the loop. */
function FailureWay(props: {
  readonly step: RunStep;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { error, onError, id } = props.step;
  const { path } = error ?? {};
  if (path !== undefined && path !== id) {
    return (
      <Button onClick={() => props.onChoose(readStepPlace(path, undefined))}>
        Show failed step
      </Button>
    );
  }
  if (onError === "continue") return <span className="muted">The run continued.</span>;
  if (onError === "branch")
    return <span className="muted">The run continued at the Error output.</span>;
  return null;
}

/** The breadcrumb of a step: the run, its loops, and the selected item of each with its neighbours. */
function StepWay({ run, step, place, definition, onChoose }: PanelProps) {
  const key = toStepKey(step.id);
  const loops = loopsAround(key);
  const items = itemsOf(step.id);
  return (
    <nav className="run-way" aria-label="Position in the run">
      <PlainButton onClick={() => onChoose({ key: TRIGGER_STEP, items: place.items })}>
        {run.workflowName}
      </PlainButton>
      {loops.map((loop, n) => {
        const item = items[n] ?? 0;
        const isOne = place.items.get(loop) === item;
        const choose = (next: number | undefined): void =>
          onChoose({ key, items: chooseItem(place.items, loop, next) });
        return (
          <Fragment key={loop}>
            <i>›</i>
            <PlainButton onClick={() => onChoose({ key: loop, items: place.items })}>
              {(definition && findStep(definition, loop)?.name) ?? loop}
            </PlainButton>
            <span className={`run-item${isOne ? " is-one" : ""}`}>
              <PlainButton
                aria-label="Previous item"
                disabled={item === 0}
                onClick={() => choose(item - 1)}
              >
                ‹
              </PlainButton>
              <PlainButton
                title={isOne ? "Show all items" : "Show only this item"}
                onClick={() => choose(isOne ? undefined : item)}
              >
                item {item + 1}
              </PlainButton>
              <PlainButton aria-label="Next item" onClick={() => choose(item + 1)}>
                ›
              </PlainButton>
            </span>
          </Fragment>
        );
      })}
    </nav>
  );
}
