import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";

const SHOWN = 100;

/** Lists past decisions, newest first. */
export function History() {
  const { data, error, isPending, refetch } = useOp("approvals.list_decided", {
    query: { limit: SHOWN },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading />;
  if (data.data.length === 0) {
    return (
      <Empty title="No decided workflow steps">
        Approved and rejected steps appear here, with the approver. Requests, changes and calls of
        agents show their decisions on their own pages.
      </Empty>
    );
  }
  return (
    <ul className="scroll approval-history" aria-label="Decisions" tabIndex={0}>
      {data.data.map(
        ({ id, runId, stepId, workflowName, approved, comment, decidedBy, decidedAt }) => (
          <li key={id}>
            <Link to="/runs/$id" params={{ id: runId }} search={{ step: stepId }}>
              <span className={`tag ${approved ? "ok" : "bad"}`}>
                {approved ? "Approved" : "Rejected"}
              </span>
              <strong className="cut">{workflowName}</strong>
              <span className="muted cut grow">{comment}</span>
              <Avatar name={decidedBy.name} />
              <span className="cut approval-by">{decidedBy.name}</span>
              <Ago at={decidedAt} />
            </Link>
          </li>
        ),
      )}
    </ul>
  );
}
