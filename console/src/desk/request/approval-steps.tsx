import type { Schemas } from "../../data/api.ts";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { sayAsked } from "./approval-words.ts";

type Step = Schemas["NamedApprovalStep"];

const STATES: Readonly<Record<Step["state"], { readonly state: string; readonly label: string }>> =
  {
    waiting: { state: "draft", label: "Not started" },
    pending: { state: "awaiting_approval", label: "Pending" },
    approved: { state: "approved", label: "Approved" },
    rejected: { state: "rejected", label: "Rejected" },
    skipped: { state: "cancelled", label: "Not needed" },
  };

export function ApprovalSteps(props: {
  readonly steps: readonly Step[];
  readonly expiresAt: string | null;
}) {
  const { steps, expiresAt } = props;
  if (steps.length === 0) return null;
  const isOpen = steps.some(({ state }) => state === "pending");
  return (
    <ol className="request-steps" aria-label="Approval">
      {steps.map((step, index) => (
        <li key={index}>
          <p className="row">
            <State {...STATES[step.state]} />
            <span className="grow">
              {steps.length > 1 && <strong>{step.name ?? `Step ${index + 1}`}: </strong>}
              {sayAsked(step)}
            </span>
            {step.state === "pending" && step.startedAt !== null && <Ago at={step.startedAt} />}
          </p>
          {step.decisions.map(({ by, insteadOf, approved, comment, at }) => (
            <p key={by.id} className="muted">
              {by.name}
              {insteadOf.length > 0 && ` for ${insteadOf.map(({ name }) => name).join(", ")}`}{" "}
              {approved ? "approved" : "rejected"}
              {comment !== null && comment !== "" && `: ${comment}`} <Ago at={at} />
            </p>
          ))}
        </li>
      ))}
      {isOpen && expiresAt !== null && (
        <li className="muted">
          Rejected if not approved: <Ago at={expiresAt} />
        </li>
      )}
    </ol>
  );
}
