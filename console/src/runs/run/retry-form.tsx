import { useId, useState } from "react";
import type { Input } from "../../data/api.ts";
import type { RunStep } from "../../workflows/index.ts";
import type { TracedRun } from "./live-run.ts";
import { mayReplaceInput, readInput } from "./retry.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, RadioButton, TextArea } from "../../ui/form/controls.tsx";

export type RetryWish = NonNullable<Input<"runs.retry">["body"]>;

/** From where, and in which version, a run is done again. */
export function RetryForm(props: {
  readonly run: TracedRun;
  readonly step: RunStep | undefined;
  readonly onRetry: (wish: RetryWish) => void;
}) {
  const { run, step } = props;
  const name = useId();
  const places = [
    ...(run.status === "completed"
      ? []
      : [
          { from: "failed", label: run.status === "failed" ? "Where it failed" : "Where it ended" },
        ]),
    ...(step ? [{ from: step.id, label: `From “${step.name}”` }] : []),
    { from: "start", label: "From the start" },
  ];
  const [from, setFrom] = useState(places[0]?.from ?? "start");
  const [isLatest, setLatest] = useState(run.version === null);
  const written = JSON.stringify(run.trigger["input"] ?? {}, null, 2);
  const [text, setText] = useState(written);
  const known = places.some((place) => place.from === from) ? from : (places[0]?.from ?? "start");
  const canEdit = known === "start" && mayReplaceInput(run) && run.redacted !== true;
  const read = canEdit && text !== written ? readInput(text) : undefined;
  return (
    <form
      className="run-retry"
      onSubmit={(event) => {
        event.preventDefault();
        if (read && "problem" in read) return;
        props.onRetry({
          from: known,
          ...(isLatest && { version: "latest" as const }),
          ...(read && { input: read.input }),
        });
      }}
    >
      <fieldset>
        <legend>Retry</legend>
        {places.map((place) => (
          <label key={place.from}>
            <RadioButton
              name={name}
              checked={known === place.from}
              onChange={() => setFrom(place.from)}
            />
            <span className="cut">{place.label}</span>
          </label>
        ))}
      </fieldset>
      <label>
        <CheckBox checked={isLatest} onChange={(event) => setLatest(event.target.checked)} />
        In the version that is deployed now
      </label>
      {canEdit && (
        <label className="run-input">
          <span>Input</span>
          <TextArea
            isMono
            rows={5}
            spellCheck={false}
            aria-invalid={read !== undefined && "problem" in read}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {read && "problem" in read && <span className="run-failed">{read.problem}</span>}
        </label>
      )}
      <p className="muted">
        {known === "start"
          ? "All of it is done again."
          : "What had completed before is kept; the rest is done again."}
      </p>
      <Button look="main">Retry</Button>
    </form>
  );
}
