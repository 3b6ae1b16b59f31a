import { Link } from "@tanstack/react-router";
import { useMay } from "../../data/people.ts";
import { History } from "../../events/index.ts";
import { toDuration, toExactTime, toWords } from "../../ui/words.ts";
import { nameStart } from "../start-words.ts";
import type { TracedRun } from "./live-run.ts";
import { readStepPlace, type StepPlace } from "../step/step-place.ts";
import { ErrorSection, ValueSection } from "../step/step-sections.tsx";
import { Button } from "../../ui/form/button.tsx";

/** The run as a whole: trigger, input and output. */
export function RunPanel(props: {
  readonly run: TracedRun;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { run } = props;
  const may = useMay();
  const { input } = run.trigger;
  const failed = run.error?.path;
  return (
    <div className="run-panel scroll">
      <header className="run-step-head">
        <h2>Run</h2>
      </header>
      {run.error && (
        <ErrorSection error={run.error} config={undefined}>
          {failed !== undefined && (
            <Button onClick={() => props.onChoose(readStepPlace(failed, undefined))}>
              Show step
            </Button>
          )}
        </ErrorSection>
      )}
      <dl className="run-facts">
        <dt>Started</dt>
        <dd>
          {nameStart(run)}
          <br />
          <time dateTime={run.createdAt}>{toExactTime(run.createdAt)}</time>
        </dd>
        {run.durationMs !== null && (
          <>
            <dt>Duration</dt>
            <dd>{toDuration(run.durationMs)}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          <Link
            className="run-link"
            to="/workflows/$id"
            params={{ id: run.workflowId }}
            search={{ run: run.id }}
          >
            {run.version === null ? "deleted version" : `v${run.version}`}
          </Link>{" "}
          in {toWords(run.environment).toLowerCase()}
        </dd>
        {run.parentRunId !== null && (
          <>
            <dt>Called by</dt>
            <dd>
              <Link className="run-link mono" to="/runs/$id" params={{ id: run.parentRunId }}>
                {run.parentRunId}
              </Link>
            </dd>
          </>
        )}
        {run.eventId !== null && may("events.recent") && (
          <>
            <dt>Event</dt>
            <dd>
              <Link className="run-link mono" to="/causes/$of" params={{ of: run.eventId }}>
                {run.eventId}
              </Link>
            </dd>
          </>
        )}
        <dt>ID</dt>
        <dd className="mono">{run.id}</dd>
      </dl>
      {run.redacted === true && (
        <p className="notice">
          Input and output of the steps are hidden: you don't have permission to read traces.
        </p>
      )}
      <ValueSection
        title={input === undefined ? "Trigger" : "Input"}
        path={input === undefined ? "trigger" : "trigger.input"}
        value={input ?? run.trigger}
        none="Empty."
      />
      {run.output !== null && run.output !== undefined && (
        <ValueSection title="Output" path="output" value={run.output} none="Empty." />
      )}
      {may("events.recent") && (
        <section className="run-section">
          <h3>History</h3>
          <History type="run" id={run.id} />
        </section>
      )}
    </div>
  );
}
