import { Check, X } from "lucide-react";
import { Ago, useNow } from "../ui/time.tsx";
import { toCountdown, toMoment } from "../ui/words.ts";
import type { InboxItem } from "./inbox.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

const SOON_MS = 3_600_000;

/** Pending approvals, most urgent first. On phones, each is decided with one tap. */
export function ApprovalList(props: {
  readonly items: readonly InboxItem[];
  readonly chosen: string | undefined;
  readonly busy: string | undefined;
  readonly onChoose: (key: string) => void;
  readonly onDecide: (item: InboxItem, approved: boolean) => void;
}) {
  return (
    <ul className="scroll approval-list" aria-label="Pending approvals" tabIndex={0}>
      {props.items.map((item) => (
        <li key={item.key} className={item.key === props.chosen ? "is-chosen" : ""}>
          <PlainButton
            className="approval-line"
            aria-current={item.key === props.chosen ? "true" : undefined}
            onClick={() => props.onChoose(item.key)}
          >
            <span className="row">
              <strong className="cut grow">{item.approval.workflowName}</strong>
              <Ago at={item.approval.createdAt} />
            </span>
            <span className="approval-ask">{item.approval.message ?? "Approval required"}</span>
            <ApprovalTags item={item} />
          </PlainButton>
          {!item.decided && (
            <span className="approval-taps">
              <Button
                disabled={props.busy !== undefined}
                onClick={() => props.onDecide(item, false)}
              >
                <X /> Reject
              </Button>
              <Button
                look="main"
                disabled={props.busy !== undefined}
                onClick={() => props.onDecide(item, true)}
              >
                <Check /> Approve
              </Button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function ApprovalTags({ item: { approval, decided } }: { readonly item: InboxItem }) {
  const { quorum, decisions, expiresAt } = approval;
  if (decided) return <DecidedTag decided={decided} />;
  if (quorum <= 1 && expiresAt === null) return null;
  return (
    <span className="row">
      {expiresAt !== null && <DueTag at={expiresAt} />}
      {quorum > 1 && (
        <span className="muted">
          {decisions} of {quorum} approved
        </span>
      )}
    </span>
  );
}

export function DecidedTag({ decided }: { readonly decided: NonNullable<InboxItem["decided"]> }) {
  if (decided.by === "another approver") return <span className="tag idle">Decided</span>;
  return (
    <span className={`tag ${decided.approved ? "ok" : "bad"}`}>
      {decided.approved ? "Approved" : "Rejected"} by {decided.by}
    </span>
  );
}

export function DueTag({ at }: { readonly at: string }) {
  const leftMs = Date.parse(at) - useNow();
  const tone = leftMs < SOON_MS ? "bad" : "idle";
  return (
    <time className={`tag ${tone}`} dateTime={at} title={toMoment(at)}>
      {leftMs > 0 ? `Expires in ${toCountdown(leftMs)}` : "Expired"}
    </time>
  );
}
