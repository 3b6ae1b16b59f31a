import { useId, useState } from "react";
import type { Input } from "../../data/api.ts";
import type { RunStep } from "../../workflows/index.ts";
import type { TracedRun } from "./live-run.ts";

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
  const known = places.some((place) => place.from === from) ? from : (places[0]?.from ?? "start");
  return (
    <form
      className="run-retry"
      onSubmit={(event) => {
        event.preventDefault();
        props.onRetry({ from: known, ...(isLatest && { version: "latest" as const }) });
      }}
    >
      <fieldset>
        <legend>Retry</legend>
        {places.map((place) => (
          <label key={place.from}>
            <input
              type="radio"
              name={name}
              checked={known === place.from}
              onChange={() => setFrom(place.from)}
            />
            <span className="cut">{place.label}</span>
          </label>
        ))}
      </fieldset>
      <label>
        <input
          type="checkbox"
          checked={isLatest}
          onChange={(event) => setLatest(event.target.checked)}
        />
        In the version that is deployed now
      </label>
      <p className="muted">What had completed before is kept; the rest is done again.</p>
      <button className="btn main">Retry</button>
    </form>
  );
}
