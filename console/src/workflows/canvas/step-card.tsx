import "./step-card.css";
import type { Node, NodeProps } from "@xyflow/react";
import { ChevronDown, Pin, Plus, Radio, StickyNote } from "lucide-react";
import { memo, type SyntheticEvent } from "react";
import { useNow } from "../../ui/time.tsx";
import { toAge, toDuration, toWords } from "../../ui/words.ts";
import type { Mark } from "../graph/diff.ts";
import type { Step } from "../graph/graph.ts";
import type { LoopView, RunStep } from "../graph/run-view.ts";
import { kindOf, TRIGGER_ICONS } from "./step-kinds.ts";
import { describeStep } from "./step-line.ts";
import { useNames } from "../../data/names/names.ts";
import { PlainButton } from "../../ui/form/button.tsx";

/** Handlers of cards. The object never changes, so that cards are not re-rendered because of it. */
export interface CardHandlers {
  readonly onFold: (key: string) => void;
  readonly onAdd: (key: string, at: DOMRect) => void;
  readonly onItem: (key: string, item: number | undefined) => void;
  readonly onLink: (key: string) => void;
  readonly onOpenWorkflow: (id: string) => void;
}

export interface CardData extends Record<string, unknown> {
  readonly key: string;
  readonly step: Step;
  readonly handlers: CardHandlers;
  readonly run?: RunStep | undefined;
  readonly statuses?: Readonly<Record<string, number>> | undefined;
  readonly loop?: LoopView | undefined;
  readonly item?: number | undefined;
  readonly problem?: string | undefined;
  readonly mark?: Mark | undefined;
  readonly isPinned: boolean;
  readonly isUnconnected: boolean;
  readonly isLeaf: boolean;
  readonly isFolded: boolean;
  readonly isReadOnly: boolean;
}

export type CardNode = Node<CardData>;

export function stopThen(handle: () => void) {
  return (event: SyntheticEvent): void => {
    event.stopPropagation();
    handle();
  };
}

/** A step on the canvas with its status. */
export const StepCard = memo(function StepCard({ data, selected }: NodeProps<CardNode>) {
  const { key, step, run, problem, mark, handlers } = data;
  const { icon: Icon, tone } = kindOf(step.type);
  const looks = [
    "step",
    `k-${tone}`,
    run?.status,
    selected && "selected",
    problem !== undefined && "broken",
    mark && `is-${mark}`,
    data.isFolded && "folded",
    data.isUnconnected && "unconnected",
  ];
  return (
    <div className={looks.filter(Boolean).join(" ")} title={problem}>
      <span className="step-icon">
        <Icon />
      </span>
      <span className="step-text">
        <b className="cut">{step.name ?? step.id}</b>
        <span className="cut">
          <CardLine data={data} />
        </span>
      </span>
      {step.note !== undefined && (
        <span className="step-note" role="img" aria-label={`Note: ${step.note}`} title={step.note}>
          <StickyNote />
        </span>
      )}
      {data.isPinned && <Pin className="step-pin" aria-label="Pinned data" />}
      <span className="step-state" />
      {data.isFolded && (
        <PlainButton
          className="fold nopan"
          aria-label="Expand"
          onClick={stopThen(() => handlers.onFold(key))}
        >
          <ChevronDown />
        </PlainButton>
      )}
      {!data.isReadOnly && <LinkPlug data={data} />}
      {data.isLeaf && !data.isReadOnly && (
        <PlainButton
          className="add leaf nopan"
          tabIndex={-1}
          aria-label="Add step after this"
          onClick={(event) => {
            event.stopPropagation();
            handlers.onAdd(key, event.currentTarget.getBoundingClientRect());
          }}
        >
          <Plus />
        </PlainButton>
      )}
    </div>
  );
});

export function LinkPlug({ data }: { readonly data: Pick<CardData, "key" | "handlers"> }) {
  return (
    <PlainButton
      className="plug nopan"
      aria-label="Connect"
      tabIndex={-1}
      onPointerDown={stopThen(() => data.handlers.onLink(data.key))}
    />
  );
}

/** The second line of a card: the change, the reason for a wait, or the result. */
function CardLine({ data }: { readonly data: CardData }) {
  const { step, run, statuses, mark } = data;
  if (mark) return mark;
  if (!run) return data.isUnconnected ? "Not connected: does not run" : describeStep(step);
  if (run.wait && run.finishedAt === null) return <WaitReason wait={run.wait} />;
  const total = Object.values(statuses ?? {}).reduce((sum, n) => sum + n, 0);
  if (total > 1) return <Tally statuses={statuses ?? {}} />;
  const isOver = run.status === "completed" || run.status === "failed";
  const way = run.branch !== undefined && run.branch !== "error" ? ` → ${run.branch}` : "";
  const attempts = run.attempts > 1 ? `, attempt ${run.attempts}` : "";
  return `${isOver ? toDuration(run.durationMs) : run.status}${way}${attempts}`;
}

function Tally({ statuses }: { readonly statuses: Readonly<Record<string, number>> }) {
  const { completed = 0, failed = 0, skipped = 0 } = statuses;
  return (
    <>
      {completed.toLocaleString("en")} done
      {failed > 0 && <em>{failed.toLocaleString("en")} failed</em>}
      {skipped > 0 && `, ${skipped.toLocaleString("en")} skipped`}
    </>
  );
}

const WAIT_WORDS = {
  call: "waiting for a request",
  form: "waiting for a form response",
  child: "waiting for the child run",
  retry: "retries",
  delay: "waits",
};

function WaitReason({ wait }: { readonly wait: NonNullable<RunStep["wait"]> }) {
  const now = useNow();
  const nameOf = useNames();
  const until = wait.until === null ? "" : `, ${toAge(wait.until, now)}`;
  if (wait.kind === "approval") {
    const { approvers = [], quorum = 1, decisions = [] } = wait;
    const tally = quorum > 1 ? ` (${decisions.length} of ${quorum})` : "";
    return `waiting for ${approvers.map((one) => nameOf(one) ?? toWords(one)).join(", ")}${tally}`;
  }
  if (wait.kind === "event")
    return `waiting for ${wait.eventType ?? wait.topic ?? "an event"}${until}`;
  return `${WAIT_WORDS[wait.kind]}${until}`;
}

interface TriggerData extends Pick<CardData, "key" | "handlers" | "isReadOnly" | "problem"> {
  readonly type: string;
}

export const TriggerCard = memo(function TriggerCard({
  data,
  selected,
}: NodeProps<Node<TriggerData & Record<string, unknown>>>) {
  const Icon = TRIGGER_ICONS[data.type] ?? Radio;
  const looks = ["start", selected && "selected", data.problem !== undefined && "broken"];
  return (
    <div className={looks.filter(Boolean).join(" ")} title={data.problem ?? data.type}>
      <Icon />
      {!data.isReadOnly && <LinkPlug data={data} />}
    </div>
  );
});
