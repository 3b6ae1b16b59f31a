import "./agents.css";
import { Check, X } from "lucide-react";
import { useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useCommand } from "../data/use-command.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Json } from "../ui/json/json.tsx";
import { Ago } from "../ui/time.tsx";
import { type AgentCall, countEvents, listChanges, tellEnd, titleOf, toneOf } from "./words.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";
import { TextField } from "../ui/form/text-field.tsx";

const SHOWN_MAX = 50;

/** Shows agent calls waiting for approval, with previews. */
export function PendingCalls() {
  const { data, error, isPending, refetch } = useOp("agent_calls.list", {
    query: { limit: SHOWN_MAX, status: "pending" },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={3} />;
  if (data.data.length === 0) {
    return (
      <Empty title="No calls waiting for approval">
        Calls of agents that need your approval appear here.
      </Empty>
    );
  }
  return (
    <ul className="agent-calls" aria-label="Calls waiting for approval">
      {data.data.map((one) => (
        <PendingCall key={one.id} one={one} />
      ))}
    </ul>
  );
}

function PendingCall({ one }: { readonly one: AgentCall }) {
  return (
    <li className="agent-call">
      <CallHead one={one} />
      <CallPreview one={one} />
      {one.mayDecide ? (
        <Answer one={one} />
      ) : (
        <p className="muted">Waiting for another approver.</p>
      )}
    </li>
  );
}

/** Enter in the comment rejects: approval can't be undone, so it requires its button. */
function Answer({ one }: { readonly one: AgentCall }) {
  const params = { id: one.id };
  const title = titleOf(one);
  const form = useForm("agent_calls.reject", { params, said: `Rejected: ${title}.` });
  const approve = useCommand("agent_calls.approve", { said: `Approved: ${title}.` });
  const { comment } = form.values;
  return (
    <InlineForm
      form={form}
      label={`Decision on ${title}`}
      isLine
      act={
        <>
          <X /> Reject
        </>
      }
      others={
        <CommandButton
          isMain
          command={approve}
          onPress={() => void approve.run({ params, body: comment ? { comment } : {} })}
        >
          <Check /> Approve
        </CommandButton>
      }
    >
      <TextField
        {...form.field("comment")}
        label={`Comment on ${title}`}
        hidesLabel
        placeholder="Comment"
      />
    </InlineForm>
  );
}

function CallHead({ one }: { readonly one: AgentCall }) {
  const { operation, environment, agent, createdAt } = one;
  return (
    <div className="agent-call-head">
      <strong>{titleOf(one)}</strong>
      <span className="muted">
        <span className="mono">{operation}</span> in {environment} · {agent.name} of{" "}
        {agent.person.name} · <Ago at={createdAt} />
      </span>
    </div>
  );
}

function CallPreview({ one }: { readonly one: AgentCall }) {
  const changes = listChanges(one);
  const events = countEvents(one);
  const { leftOut } = one.preview;
  return (
    <div className="agent-call-preview">
      {changes.length > 0 && (
        <ul>
          {changes.slice(0, 10).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {changes.length > 10 && <p className="muted">and {changes.length - 10} more</p>}
      {leftOut !== null && <p className="muted">{leftOut}</p>}
      {events !== "" && <p className="muted">Events: {events}</p>}
      <details open={changes.length === 0}>
        <summary>Arguments</summary>
        <Json value={one.input} />
      </details>
    </div>
  );
}

/** Decided calls, newest first. */
export function DecidedCalls() {
  const { data, error, isPending, refetch } = useOp("agent_calls.list", {
    query: { limit: SHOWN_MAX },
  });
  const calls = (data?.data ?? []).filter(({ status }) => status !== "pending");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={3} />;
  if (calls.length === 0) return <p className="section-empty">No decisions yet.</p>;
  return (
    <ul>
      {calls.map((one) => (
        <li key={one.id} className="entry">
          <div className="grow entry-words">
            <div className="entry-title">{titleOf(one)}</div>
            <div className="muted entry-about">
              {tellEnd(one)} · {one.agent.name} of {one.agent.person.name} ·{" "}
              <Ago at={one.decidedAt ?? one.createdAt} />
              {one.comment !== null && one.comment !== "" && ` · “${one.comment}”`}
            </div>
          </div>
          <span className={`tag ${toneOf(one.status)}`}>{one.status}</span>
        </li>
      ))}
    </ul>
  );
}
