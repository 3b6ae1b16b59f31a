import { useOp } from "../data/api.ts";
import { ReadableValue } from "../ui/readable/readable-value.tsx";
import { type Approval, findGrounds, type Ground } from "./inbox.ts";

const GROUNDS_MAX = 3;

/** Shows the context for an approval: the run's trigger and the latest step results. */
export function Grounds({ approval }: { readonly approval: Approval }) {
  const { runId, stepId, createdAt } = approval;
  const { data } = useOp("runs.get", { params: { runId }, query: { steps: 0 } });
  const grounds = useGrounds(runId, stepId);
  const run = data?.data.id === runId ? data.data : undefined;
  if (!run) return <div className="approval-grounds" aria-busy="true" />;
  if (run.redacted === true) {
    return (
      <p className="muted approval-grounds">
        You don’t have permission to view the data of this run.
      </p>
    );
  }
  const { input } = run.trigger;
  const hasInput = input !== null && typeof input === "object" && Object.keys(input).length > 0;
  return (
    <div className="approval-grounds">
      {hasInput && (
        <section>
          <h3>Trigger</h3>
          <ReadableValue value={input} />
        </section>
      )}
      {findGrounds(grounds, createdAt, GROUNDS_MAX).map((ground) => (
        <StepGround key={ground.id} runId={runId} ground={ground} />
      ))}
    </div>
  );
}

/** Returns the steps of the run, or of the loop item that contains the approval. */
function useGrounds(runId: string, stepId: string): readonly Ground[] {
  const item = stepId.slice(0, Math.max(0, stepId.lastIndexOf(".")));
  const isInLoop = item !== "";
  const params = { runId };
  const steps = useOp("runs.steps", { params, query: { item, limit: 200 } }, { enabled: isInLoop });
  const summary = useOp("runs.summary", { params }, { enabled: !isInLoop }).data?.data;
  if (isInLoop) {
    return (steps.data?.data ?? []).map((step) => ({
      ...step,
      isDone: step.status === "completed",
    }));
  }
  return (summary?.runId === runId ? summary.nodes : [])
    .filter(({ key }) => !key.includes("/"))
    .map(({ key, statuses, ...node }) => ({
      ...node,
      id: key,
      isDone: (statuses["completed"] ?? 0) > 0,
    }));
}

function StepGround({ runId, ground }: { readonly runId: string; readonly ground: Ground }) {
  const { data } = useOp("runs.step", { params: { runId, stepId: ground.id } });
  const step = data?.data;
  if (step?.id !== ground.id || step.output === undefined || step.output === null) return null;
  return (
    <section>
      <h3>{step.name}</h3>
      <ReadableValue value={step.output} />
    </section>
  );
}
