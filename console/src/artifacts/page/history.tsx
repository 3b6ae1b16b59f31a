import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { toDuration, toMoment, toWords } from "../../ui/words.ts";
import { type Artifact, executionState } from "../artifact-type.ts";
import { Logs } from "./logs.tsx";
import { ExecutionInput } from "./requests.tsx";
import { OutcomeView } from "./run-panel.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Summary = Schemas["ArtifactExecutionSummary"];

const PAGE = 30;
/** Events report most executions; polling covers those without an event. */
const LOOK_MS = 4_000;

/** Executions, live, each with input, result and logs. */
export function History({ artifact }: { readonly artifact: Artifact }) {
  const { id } = artifact;
  const { open } = useSearch({ from: "/inside/artifacts/$id" });
  const navigate = useNavigate();
  const [older, setOlder] = useState<readonly Summary[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  const { data, error, isPending, refetch } = useOp(
    "artifacts.list_executions",
    { params: { id }, query: { limit: PAGE } },
    { refetchInterval: LOOK_MS },
  );
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={6} />;
  const known = new Set(data.data.map((one) => one.id));
  const executions = [...data.data, ...older.filter((one) => !known.has(one.id))];
  const next = cursor === undefined ? data.pagination.nextCursor : cursor;
  const more = async (): Promise<void> => {
    if (!next) return;
    const page = await perform("artifacts.list_executions", {
      params: { id },
      query: { limit: PAGE, after: next },
    });
    if (!page) return;
    setOlder((before) => [...before, ...page.data]);
    setCursor(page.pagination.nextCursor);
  };
  const show = (execution: string | undefined): void =>
    void navigate({
      to: "/artifacts/$id",
      params: { id },
      search: { tab: "history", open: execution },
      replace: true,
    });
  return (
    <div className="art-panel scroll">
      <DueLine artifact={artifact} />
      {executions.length === 0 && <Empty title="No runs in this environment yet" />}
      <ol className="art-runs">
        {executions.map((one) => (
          <li key={one.id}>
            <PlainButton
              className="art-run-row"
              aria-expanded={one.id === open}
              onClick={() => show(one.id === open ? undefined : one.id)}
            >
              <State state={executionState(one.status)} label={toWords(one.status)} />
              <span className="muted cut grow">
                {toWords(one.triggerType)}
                {one.attempt > 1 && ` · attempt ${one.attempt}`} · version {one.versionNumber}
              </span>
              <span className="muted">{toDuration(one.durationMs)}</span>
              <Ago at={one.startedAt} />
            </PlainButton>
            {one.id === open && <ExecutionView artifactId={id} executionId={one.id} />}
          </li>
        ))}
      </ol>
      {next && <Button onClick={() => void more()}>Load older</Button>}
    </div>
  );
}

/** The next run of a scheduled job. */
function DueLine({ artifact }: { readonly artifact: Artifact }) {
  const isJob = artifact.artifactType === "scheduled_job";
  const jobs = useOp(
    "scheduled_jobs.list",
    { query: { limit: 200, moduleKey: artifact.moduleKey } },
    { enabled: isJob },
  ).data?.data;
  const job = jobs?.find((one) => one.id === artifact.id);
  if (!job) return null;
  return (
    <p className="row art-due">
      <span className="mono">{job.cron}</span>
      <span className="muted">
        {job.timezone}, in {job.environment}
      </span>
      <span className="grow" />
      {job.nextDueAt === null ? (
        <span className="muted">No next run: the artifact is {artifact.status}.</span>
      ) : (
        <span title={toMoment(job.nextDueAt)}>
          Next run <Ago at={job.nextDueAt} />
        </span>
      )}
    </p>
  );
}

function ExecutionView(props: { readonly artifactId: string; readonly executionId: string }) {
  const params = { id: props.artifactId, executionId: props.executionId };
  const { data, error, isPending } = useOp("artifacts.get_execution", { params });
  if (error) return <ErrorNotice error={error} />;
  if (isPending) return <Loading rows={3} />;
  const { outcome, logs, redacted } = data.data;
  return (
    <div className="art-execution">
      {redacted === true && (
        <p className="muted">Some data is hidden, because you don't have permission to view it.</p>
      )}
      <ExecutionInput execution={data.data} />
      <h2>Result</h2>
      <OutcomeView outcome={outcome} />
      <h2>Logs</h2>
      <Logs logs={logs} />
    </div>
  );
}
