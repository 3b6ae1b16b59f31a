/** The last external requests to a webhook handler. */
import { Link } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Json } from "../../ui/json/json.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { toDuration, toWords } from "../../ui/words.ts";
import { executionState, toRequest } from "../artifact-type.ts";

const SHOWN = 5;
/** Includes test runs by users. */
const READ = 30;

export function LastRequests({ artifactId: id }: { readonly artifactId: string }) {
  const { data, error, isPending, refetch } = useOp("artifacts.list_executions", {
    params: { id },
    query: { limit: READ },
  });
  const requests = data?.data.filter(({ triggerType }) => triggerType === "webhook") ?? [];
  return (
    <section aria-label="Recent requests">
      <h2>Recent requests</h2>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={2} />}
      {data && requests.length === 0 && <p className="muted">No requests yet.</p>}
      <ol className="art-runs">
        {requests.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <Link
              className="art-run-row"
              to="/artifacts/$id"
              params={{ id }}
              search={{ tab: "history", open: one.id }}
            >
              <State state={executionState(one.status)} label={toWords(one.status)} />
              <span className="muted cut grow">version {one.versionNumber}</span>
              <span className="muted">{toDuration(one.durationMs)}</span>
              <Ago at={one.startedAt} />
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The input of an execution: for handlers the parts of the request, for others the value. */
export function ExecutionInput({
  execution,
}: {
  readonly execution: Schemas["ArtifactExecution"];
}) {
  const { outcome, triggerType } = execution;
  const request = triggerType === "webhook" ? toRequest(outcome.current) : undefined;
  if (!request) {
    return (
      <>
        <h2>Input</h2>
        <Json value={outcome.current} label="Input" />
      </>
    );
  }
  const parts = [
    ["Body", request.body],
    ["Query", request.query],
    ["Headers", request.headers],
  ] as const;
  return parts.map(([label, value]) => (
    <div key={label}>
      <h2>{label}</h2>
      <Json value={value ?? null} label={label} />
    </div>
  ));
}
