import { useOp } from "../../data/api.ts";
import { State } from "../../ui/state.tsx";
import { toDuration } from "../../ui/words.ts";
import type { RunStep } from "../../workflows/index.ts";

/** The attempts of a step: time, duration and error. A single attempt adds no information and is hidden. */
export function AttemptSection({
  runId,
  step,
}: {
  readonly runId: string;
  readonly step: RunStep;
}) {
  const { data } = useOp("runs.step", { params: { runId, stepId: step.id } });
  const attempts = data?.data.id === step.id ? data.data.attemptLog : [];
  if (attempts.length < 2) return null;
  return (
    <section className="run-section">
      <h3>Attempts</h3>
      <ol className="run-attempts">
        {attempts.map(({ round, attempt, status, startedAt, finishedAt, error }) => (
          <li key={`${round}.${attempt}`}>
            <b>{round > 1 ? `${round}.${attempt}` : attempt}</b>
            <State state={status} />
            <span className="grow">{error?.message}</span>
            <time className="muted" dateTime={startedAt ?? ""}>
              {startedAt?.slice(11, 19)}
              {startedAt !== null && finishedAt !== null && (
                <> · {toDuration(Date.parse(finishedAt) - Date.parse(startedAt))}</>
              )}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
