import { Link } from "@tanstack/react-router";
import { Activity, ArrowLeft, Check, GitFork, X } from "lucide-react";
import type { RefObject } from "react";
import { useNames } from "../data/names/names.ts";
import { useMay } from "../data/people.ts";
import { Keys } from "../ui/key.tsx";
import { Ago } from "../ui/time.tsx";
import { toWords } from "../ui/words.ts";
import type { Approval, InboxItem } from "./inbox.ts";
import { Grounds } from "./grounds.tsx";
import { DecidedTag, DueTag } from "./list.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextArea } from "../ui/form/controls.tsx";

interface DetailProps {
  readonly item: InboxItem;
  readonly isBusy: boolean;
  readonly comment: string;
  readonly reason: RefObject<HTMLTextAreaElement | null>;
  readonly onComment: (comment: string) => void;
  readonly onDecide: (approved: boolean) => void;
  readonly onBack: () => void;
}

/** An approval: question, context, approvers and decision. */
export function ApprovalDetail(props: DetailProps) {
  const { approval, decided } = props.item;
  const may = useMay();
  const { runId, workflowName, message, expiresAt, createdAt } = approval;
  return (
    <section className="approval" aria-label="Approval">
      <div className="approval-page scroll">
        <Button look="bare" className="approval-back" onClick={props.onBack}>
          <ArrowLeft /> All approvals
        </Button>
        <p className="row approval-about">
          <span className="cut">{workflowName} requests approval</span>
          <Ago at={createdAt} />
          {expiresAt !== null && !decided && <DueTag at={expiresAt} />}
        </p>
        <h2 className="approval-question">{message ?? "Approval required"}</h2>
        <p className="row approval-links">
          {may("workflows.list") && (
            <Link
              className="btn bare"
              to="/runs/$id"
              params={{ id: runId }}
              search={{ step: approval.stepId }}
            >
              <Activity /> View run
            </Link>
          )}
          {may("events.recent") && (
            <Link className="btn bare" to="/causes/$of" params={{ of: runId }}>
              <GitFork /> View causes
            </Link>
          )}
        </p>
        <Deciders approval={approval} />
        {may("workflows.list") && <Grounds approval={approval} />}
      </div>
      {decided ? (
        <div className="approval-foot" role="status">
          <DecidedTag decided={decided} /> This approval is closed.
        </div>
      ) : (
        <DecisionForm {...props} />
      )}
    </section>
  );
}

function DecisionForm({ item, isBusy, comment, reason, onComment, onDecide }: DetailProps) {
  return (
    <form
      className="approval-foot"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide(false);
      }}
    >
      <TextArea
        className="grow"
        ref={reason}
        rows={1}
        placeholder="Comment or reason for rejection"
        aria-label={`Comment on ${item.approval.workflowName}`}
        value={comment}
        onChange={({ target }) => onComment(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          onDecide(event.ctrlKey || event.metaKey);
        }}
      />
      <Button
        className="approval-no"
        disabled={isBusy}
        aria-keyshortcuts="n"
        title="In the comment field: Enter rejects, Ctrl Enter approves"
      >
        <X /> Reject <Keys keys="n Enter" />
      </Button>
      <Button
        look="main"
        type="button"
        disabled={isBusy}
        aria-keyshortcuts="y"
        onClick={() => onDecide(true)}
      >
        <Check /> Approve <Keys keys="y" />
      </Button>
    </form>
  );
}

/** The requested approvers: people and roles by name. */
function Deciders({ approval }: { readonly approval: Approval }) {
  const nameOf = useNames();
  const { approvers, quorum, decisions } = approval;
  const names = approvers.map((name) => nameOf(name) ?? `members with the role ${toWords(name)}`);
  return (
    <p className="muted approval-who">
      Approvers: {names.join(", ")}.
      {quorum > 1 && ` ${decisions} of ${quorum} approved. One rejection rejects the step.`}
    </p>
  );
}
