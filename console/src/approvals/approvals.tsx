import "./approvals.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useRef, useState } from "react";
import { call, invalidate, type Schemas, useOp } from "../data/api.ts";
import { useActions } from "../shell/actions.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { Ago } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";

type Approval = Schemas["Approval"];

const keyOf = ({ runId, stepId }: Approval): string => `${runId}:${stepId}`;

/** What waits for my decision; one key decides it. */
export function Approvals() {
  const { open } = useSearch({ from: "/inside/approvals" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("approvals.list", { query: { limit: 100 } });
  const approvals = data?.data ?? [];
  const chosen = approvals.find((approval) => keyOf(approval) === open) ?? approvals[0];
  const show = (id: string | undefined): void =>
    void navigate({
      to: "/approvals",
      search: id === undefined ? {} : { open: id },
      replace: true,
    });
  useListKeys({ ids: approvals.map(keyOf), chosen: chosen && keyOf(chosen), onChoose: show });
  return (
    <div className="page">
      <header className="page-head">
        <h1>Approvals</h1>
        {approvals.length > 0 && <span className="muted">{approvals.length} wait for you</span>}
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {!isPending && !error && approvals.length === 0 && (
        <Empty title="Nothing waits for you">
          A step that asks for your decision appears here.
        </Empty>
      )}
      <ul className="scroll approvals">
        {approvals.map((approval) => (
          <li key={keyOf(approval)}>
            <ApprovalCard
              approval={approval}
              isChosen={approval === chosen}
              onChoose={() => show(keyOf(approval))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ApprovalCard(props: {
  readonly approval: Approval;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { runId, stepId, workflowName, message, quorum, decisions, createdAt, expiresAt } =
    props.approval;
  const [comment, setComment] = useState("");
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // Never optimistic: a decision is final, so it is shown only once it is made.
  const decide = async (approved: boolean): Promise<void> => {
    setBusy(true);
    try {
      const body = { approved, stepId, ...(comment !== "" && { comment }) };
      await call("runs.resume", { params: { runId }, body });
      notify(approved ? `${workflowName} goes on.` : `${workflowName} is rejected.`);
      invalidate(["approvals.", "runs."]);
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  useActions(
    props.isChosen
      ? [
          { keys: "a", label: "Approve", run: () => void decide(true) },
          { keys: "d", label: "Reject", run: () => void decide(false) },
          { keys: "c", label: "Comment", run: () => field.current?.focus() },
        ]
      : [],
  );
  return (
    <article className="approval" aria-current={props.isChosen} onClick={props.onChoose}>
      <header>
        <Link to="/runs" search={{ open: runId }} className="approval-name">
          {workflowName}
        </Link>
        <Ago at={createdAt} />
      </header>
      <p className="approval-text">{message ?? "A decision is needed."}</p>
      <p className="muted">
        {quorum > 1 && `${decisions} of ${quorum} have approved. `}
        {expiresAt !== null && `It lapses ${new Date(expiresAt).toLocaleString()}.`}
      </p>
      <footer>
        <input
          ref={field}
          className="field grow"
          placeholder="Comment (optional)"
          aria-label={`Comment on ${workflowName}`}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        <button className="btn" disabled={isBusy} onClick={() => void decide(false)}>
          <X /> Reject {props.isChosen && <Keys keys="d" />}
        </button>
        <button className="btn main" disabled={isBusy} onClick={() => void decide(true)}>
          <Check /> Approve {props.isChosen && <Keys keys="a" />}
        </button>
      </footer>
    </article>
  );
}
