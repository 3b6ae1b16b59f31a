/** Work that is mine to move: decisions of workflows, requests to approve, tickets that I work on. */
import { type Reply, useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";

export interface WaitingEntry {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly about: string;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  readonly state?: string;
  readonly at: string;
}

const READ_MAX = 50;

/** Decisions first, for somebody waits for them; then tickets by priority. */
export function useWaiting() {
  const may = useMay();
  const limit = READ_MAX;
  const approvals = useOp(
    "approvals.list",
    { query: { limit } },
    { enabled: may("approvals:decide") },
  );
  const requests = useOp(
    "requests.list",
    { query: { limit, toApprove: true } },
    { enabled: may("requests:submit") },
  );
  const incidents = useOp(
    "incidents.list",
    { query: { limit, mine: true, sort: "priority" } },
    { enabled: may("incidents:read") },
  );
  const asked = [approvals, requests, incidents];
  return {
    entries: [
      ...(approvals.data?.data ?? []).map(fromApproval),
      ...(requests.data?.data ?? []).map((request) => fromTicket("Request", request)),
      ...(incidents.data?.data ?? [])
        .filter(({ state }) => !CLOSED.has(state))
        .map((incident) => fromTicket("Incident", incident)),
    ],
    isLoading: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error)?.error ?? null,
    retry: () => asked.forEach(({ error, refetch }) => error && void refetch()),
  };
}

const CLOSED = new Set(["resolved", "closed", "cancelled"]);

type Approval = Reply<"approvals.list">["data"][number];

function fromApproval(approval: Approval): WaitingEntry {
  const { runId, stepId, workflowName, message, createdAt } = approval;
  const open = `${runId}:${stepId}`;
  return {
    id: open,
    kind: "Decide",
    text: message ?? workflowName,
    about: message === null ? "" : workflowName,
    to: "/approvals",
    search: { open },
    at: createdAt,
  };
}

interface Ticket {
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly createdAt: string;
}

function fromTicket(kind: string, { number, title, state, createdAt }: Ticket): WaitingEntry {
  const to = `/tickets/${number}`;
  return { id: number, kind, text: title, about: number, to, search: {}, state, at: createdAt };
}
