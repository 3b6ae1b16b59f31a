import "./approvals.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { PendingCalls } from "../agents/index.ts";
import { ApiError, useOp } from "../data/api.ts";
import { type LogEvent, onEvent } from "../data/live/live.ts";
import { useMay } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { useWaiting } from "../data/waiting/waiting-list.ts";
import { useActions } from "../shell/actions.ts";
import { leaveField } from "../shell/keys/focus-guard.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { useRunner } from "../ui/behaviour/runner.ts";
import { useIsNarrow } from "../ui/behaviour/narrow.ts";
import { notify } from "../ui/toast.tsx";
import { ApprovalDetail } from "./detail.tsx";
import { History } from "./history.tsx";
import {
  type Approval,
  type Decided,
  type InboxItem,
  keyOf,
  listInbox,
  nextWaiting,
} from "./inbox.ts";
import { ApprovalList } from "./list.tsx";
import { OtherDecisions } from "./other-decisions.tsx";
import { PlainButton } from "../ui/form/button.tsx";

const OPEN_MAX = 200;

/**
 * Pending and past approvals, with the same count as on Home. Workflow steps are decided with one key. Decisions
 * are final, so they are not shown optimistically.
 */
export function Approvals() {
  const { tab } = useSearch({ from: "/inside/approvals" });
  const navigate = useNavigate();
  const may = useMay();
  const inbox = useInbox();
  const { decisions } = useWaiting();
  // Workflow steps are decided here, other approvals on their own pages.
  const others = decisions.filter(({ search }) => search["open"] === undefined);
  const calls = others.filter(({ search }) => search["tab"] === "agents").length;
  const count = inbox.items.filter(({ decided }) => !decided).length + others.length;
  return (
    <div className="page">
      <header className="page-head">
        <h1>Approvals</h1>
        <div className="tabs" role="group" aria-label="Approvals">
          <PlainButton
            aria-pressed={tab === undefined}
            onClick={() => void navigate({ to: "/approvals", search: {}, replace: true })}
          >
            Pending {count > 0 && <span className="muted">{count}</span>}
          </PlainButton>
          {may("agent_calls.list") && (
            <PlainButton
              aria-pressed={tab === "agents"}
              onClick={() =>
                void navigate({ to: "/approvals", search: { tab: "agents" }, replace: true })
              }
            >
              Agents {calls > 0 && <span className="muted">{calls}</span>}
            </PlainButton>
          )}
          {may("approvals.list") && (
            <PlainButton
              aria-pressed={tab === "decided"}
              onClick={() =>
                void navigate({ to: "/approvals", search: { tab: "decided" }, replace: true })
              }
            >
              Decided
            </PlainButton>
          )}
        </div>
      </header>
      {tab === "decided" && <History />}
      {tab === "agents" && (
        <div className="scroll approvals-of-agents">
          <PendingCalls />
        </div>
      )}
      {tab === undefined && others.length > 0 && <OtherDecisions entries={others} />}
      {tab === undefined && <Inbox {...inbox} hasOthers={others.length > 0} />}
    </div>
  );
}

/** The open approvals, updated live. Approvals that other users decide stay visible and are marked. */
function useInbox() {
  const enabled = useMay()("approvals.list");
  const { data, error, isLoading, refetch } = useOp(
    "approvals.list",
    { query: { limit: OPEN_MAX } },
    { enabled },
  );
  const [decided, setDecided] = useState<ReadonlyMap<string, Decided>>(new Map());
  const mine = useRef(new Set<string>());
  const open = useMemo(() => data?.data ?? [], [data]);
  // Displayed approvals stay in the list, even if decided by other users.
  const [seen, setSeen] = useState<{
    readonly open: readonly Approval[];
    readonly all: ReadonlyMap<string, Approval>;
  }>({ open: [], all: new Map() });
  if (seen.open !== open) {
    const all = new Map(seen.all);
    for (const approval of open) all.set(keyOf(approval), approval);
    setSeen({ open, all });
  }
  useEffect(
    () =>
      onEvent((event) => {
        const told = readDecision(event);
        if (!told || mine.current.has(told.key) || !seen.all.has(told.key)) return;
        setDecided((old) => new Map(old).set(told.key, told));
      }),
    [seen.all],
  );
  const items = useMemo(() => listInbox(open, seen.all, decided), [open, seen.all, decided]);
  const decide = async (
    approval: Approval,
    decision: { readonly approved: boolean; readonly comment: string },
  ): Promise<boolean> => {
    const { runId, stepId, workflowName } = approval;
    const { approved, comment } = decision;
    const key = keyOf(approval);
    mine.current.add(key);
    const body = { approved, stepId, ...(comment !== "" && { comment }) };
    const reply = await perform(
      "runs.resume",
      { params: { runId }, body },
      {
        said: approved ? `Approved: ${workflowName} continues.` : `Rejected: ${workflowName}.`,
        onRefused: (failure) => {
          mine.current.delete(key);
          if (!(failure instanceof ApiError) || failure.code !== "run_not_paused") return false;
          notify("Another approver already decided. Your decision was not saved.");
          setDecided((old) => (old.has(key) ? old : new Map(old).set(key, UNKNOWN)));
          return true;
        },
      },
    );
    return reply !== undefined;
  };
  return { items, error, isPending: isLoading, decide, refetch: () => void refetch() };
}

const UNKNOWN: Decided = { by: "another approver", approved: true };

function readDecision({ type, resource, actor, data }: LogEvent) {
  const stepId = data?.["stepId"];
  if (type !== "workflow.run_resumed" || !resource || typeof stepId !== "string") return undefined;
  const by = actor?.name ?? "another approver";
  return { key: `${resource.id}:${stepId}`, by, approved: data?.["approved"] === true };
}

interface InboxProps extends ReturnType<typeof useInbox> {
  readonly hasOthers: boolean;
}

function Inbox({ items, error, isPending, decide, refetch, hasOthers }: InboxProps) {
  const { open } = useSearch({ from: "/inside/approvals" });
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const { run, isBusy } = useRunner();
  const [deciding, setDeciding] = useState<string>();
  const busy = isBusy ? deciding : undefined;
  const reason = useRef<HTMLTextAreaElement>(null);
  const [comment, setComment] = useState("");
  const asked = items.find(({ key }) => key === open);
  const chosen = asked ?? (isNarrow ? undefined : items[0]);
  const show = (key: string | undefined): void => {
    setComment("");
    void navigate({
      to: "/approvals",
      search: key === undefined ? {} : { open: key },
      replace: true,
    });
  };
  const settle = async (item: InboxItem, approved: boolean): Promise<void> => {
    if (busy !== undefined || item.decided) return;
    const next = nextWaiting(items, item.key);
    setDeciding(item.key);
    const said = item.key === chosen?.key ? comment : "";
    let isDone = false;
    await run(async () => {
      isDone = await decide(item.approval, { approved, comment: said });
    });
    if (isDone) {
      leaveField(document.querySelector(".approval"), document.querySelector(".approval-list"));
    }
    if (isDone && !isNarrow) show(next);
    else if (isDone) show(undefined);
  };
  useListKeys({ ids: items.map(({ key }) => key), chosen: chosen?.key, onChoose: show });
  const disabled = chosen?.decided ? "Already decided." : undefined;
  useActions(
    chosen
      ? [
          {
            keys: "y",
            label: "Approve",
            run: () => void settle(chosen, true),
            disabled,
            asks: {
              title: "Approve this step?",
              text: "The run continues immediately. This can't be undone.",
              act: "Approve",
            },
          },
          {
            keys: "n",
            label: "Reject with reason",
            run: () => reason.current?.focus(),
            disabled,
          },
        ]
      : [],
  );
  if (error && items.length === 0) return <ErrorNotice error={error} retry={refetch} />;
  if (isPending) return <Loading />;
  if (items.length === 0 && hasOthers) return null;
  if (items.length === 0) {
    return (
      <Empty title="No approvals">
        Requests, changes, workflow steps and agent actions that need your approval appear here.
      </Empty>
    );
  }
  return (
    <div className={`approvals${asked ? " has-open" : ""}`}>
      <ApprovalList
        items={items}
        chosen={chosen?.key}
        busy={busy}
        onChoose={show}
        onDecide={(item, approved) => void settle(item, approved)}
      />
      {chosen && (
        <ApprovalDetail
          key={chosen.key}
          item={chosen}
          isBusy={busy === chosen.key}
          comment={comment}
          reason={reason}
          onComment={setComment}
          onDecide={(approved) => void settle(chosen, approved)}
          onBack={() => show(undefined)}
        />
      )}
    </div>
  );
}
