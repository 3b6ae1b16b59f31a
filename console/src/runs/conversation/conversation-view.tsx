import { Bot, Check, CircleX, Clock, User, Wrench } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { Json } from "../../ui/json/json.tsx";
import { count } from "../../ui/words.ts";
import type { NodeSummary, RunStep } from "../../workflows/index.ts";
import { toStepKey } from "../../workflows/index.ts";
import { useItemSteps } from "../step/loop-steps.ts";
import { readStepPlace, type StepPlace } from "../step/step-place.ts";
import { type Entry, sumUp, toConversation, toDollars } from "./conversation.ts";
import { useLiveText } from "./live-text.ts";
import "./conversation.css";
import { PlainButton } from "../../ui/form/button.tsx";

const TURNS_MAX = 100;

interface ConversationProps {
  readonly runId: string;
  readonly step: RunStep;
  readonly nodes: ReadonlyMap<string, NodeSummary>;
  readonly onChoose: (place: StepPlace) => void;
}

/** An agent's run as a conversation: messages of the model, tool calls and their results. */
export function Conversation({ runId, step, nodes, onChoose }: ConversationProps) {
  const { statuses = {} } = nodes.get(`${toStepKey(step.id)}/$turn`) ?? {};
  const turns = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  const items = Array.from(
    { length: Math.min(turns, TURNS_MAX) },
    (_, index) => `${step.id}[${index}]`,
  );
  const entries = toConversation(step, useItemSteps(runId, items));
  const total = sumUp(entries);
  return (
    <section className="run-section" aria-label="Conversation">
      <h3>
        <span className="grow">Conversation</span>
        <span className="muted talk-total">
          {count(total.turns, "turn")} · {count(total.calls, "tool call")} ·{" "}
          {count(total.tokens, "token")}
          {total.cost !== undefined && ` · ${toDollars(total.cost)}`}
        </span>
      </h3>
      <ol className="talk">
        {entries.map((entry) => (
          <li key={entry.key} className={`talk-${entry.kind}`}>
            <EntryView
              entry={entry}
              runId={runId}
              onOpen={(stepId) => onChoose(readStepPlace(stepId, undefined))}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly entry: Entry;
  readonly runId: string;
  readonly onOpen: (stepId: string) => void;
}

function EntryView({ entry, runId, onOpen }: EntryProps) {
  if (entry.kind === "prompt") {
    return (
      <>
        <User aria-label="Prompt" />
        <p className="talk-text">{entry.text}</p>
      </>
    );
  }
  if (entry.kind === "call") return <CallView entry={entry} runId={runId} onOpen={onOpen} />;
  return <TurnView entry={entry} runId={runId} onOpen={onOpen} />;
}

function TurnView(props: Omit<EntryProps, "entry"> & { readonly entry: Entry & { kind: "turn" } }) {
  const { entry, onOpen } = props;
  const live = useLiveText(props.runId, entry.stepId);
  const text = entry.status === "running" ? live : entry.text;
  return (
    <>
      <Bot aria-label="Model" />
      <div className="grow">
        {text !== "" && <p className="talk-text">{text}</p>}
        {entry.error !== undefined && <p className="talk-bad">{entry.error}</p>}
        <PlainButton className="run-link" onClick={() => onOpen(entry.stepId)}>
          {entry.status === "completed"
            ? `${count(entry.tokens, "token")}${entry.cost === undefined ? "" : ` · ${toDollars(entry.cost)}`}`
            : entry.status === "running"
              ? "Generating response…"
              : "Show turn"}
        </PlainButton>
      </div>
    </>
  );
}

const CALL_ICONS = { waiting: Clock, running: Wrench, done: Check, failed: CircleX } as const;
const CALL_WORDS = {
  waiting: "waiting for approval",
  running: "running",
  done: "done",
  failed: "failed",
} as const;

function CallView(props: Omit<EntryProps, "entry"> & { readonly entry: Entry & { kind: "call" } }) {
  const { entry, runId, onOpen } = props;
  const { status, name, given, result, stepId } = entry;
  const Icon = CALL_ICONS[status];
  return (
    <details open={status === "waiting"}>
      <summary>
        <Icon className={`talk-${status}`} aria-hidden="true" />
        <b className="mono">{name}</b>
        <span className="muted grow">{CALL_WORDS[status]}</span>
      </summary>
      <Json value={given ?? {}} label={`Arguments of ${name}`} />
      {result !== undefined && (
        <p className={status === "failed" ? "talk-text talk-bad" : "talk-text"}>{result}</p>
      )}
      {status === "waiting" ? (
        <Link className="btn" to="/approvals" search={{ open: `${runId}:${stepId}` }}>
          Open approval
        </Link>
      ) : (
        <PlainButton className="run-link" onClick={() => onOpen(stepId)}>
          Show step
        </PlainButton>
      )}
    </details>
  );
}
