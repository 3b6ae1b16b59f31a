import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";

const SHOWN = 100;

/** What was decided, by whom, newest first. */
export function History() {
  const { data, error, isPending, refetch } = useOp("audit.query", {
    query: { type: "workflow.run_resumed", limit: SHOWN },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading />;
  if (data.data.length === 0) {
    return <Empty title="Nothing was decided yet">Decisions stand here, with who made them.</Empty>;
  }
  return (
    <ul className="scroll approval-history" aria-label="Decisions" tabIndex={0}>
      {data.data.map(({ id, actor, resource, data: told, createdAt }) => {
        const isApproved = told["approved"] === true;
        const stepId = typeof told["stepId"] === "string" ? told["stepId"] : undefined;
        return (
          <li key={id}>
            <Link to="/runs/$id" params={{ id: resource.id }} search={{ step: stepId }}>
              <span className={`tag ${isApproved ? "ok" : "bad"}`}>
                {isApproved ? "Approved" : "Rejected"}
              </span>
              <strong className="cut grow">{resource.displayName ?? resource.id}</strong>
              <Avatar name={actor.name} />
              <span className="cut approval-by">{actor.name}</span>
              <Ago at={createdAt} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
