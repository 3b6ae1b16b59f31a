/** What waits for a decision, together with what others decided while one looked at it. */
import type { Schemas } from "../data/api.ts";

export type Approval = Schemas["Approval"];

export interface Decided {
  readonly by: string;
  readonly approved: boolean;
}

export interface InboxItem {
  readonly key: string;
  readonly approval: Approval;
  /** By somebody else, while it was on the screen. */
  readonly decided: Decided | undefined;
}

export const keyOf = ({ runId, stepId }: Pick<Approval, "runId" | "stepId">): string =>
  `${runId}:${stepId}`;

/** The open approvals, and at their old places those that somebody else decided. What is due first stands first. */
export function listInbox(
  open: readonly Approval[],
  seen: ReadonlyMap<string, Approval>,
  decided: ReadonlyMap<string, Decided>,
): readonly InboxItem[] {
  const waiting = new Set(open.map(keyOf));
  const gone = [...decided].flatMap(([key, one]) => {
    const approval = seen.get(key);
    // With a quorum one decision may not be the last: then it still waits.
    return approval && !waiting.has(key) ? [{ key, approval, decided: one }] : [];
  });
  const items = open.map((approval) => ({ key: keyOf(approval), approval, decided: undefined }));
  return [...items, ...gone].toSorted((a, b) => compareDue(a.approval, b.approval));
}

function compareDue(a: Approval, b: Approval): number {
  if (a.expiresAt !== b.expiresAt) {
    if (a.expiresAt === null) return 1;
    if (b.expiresAt === null) return -1;
    return a.expiresAt < b.expiresAt ? -1 : 1;
  }
  return a.createdAt < b.createdAt ? 1 : -1;
}

/** The next one that still waits, after one was decided. */
export function nextWaiting(items: readonly InboxItem[], key: string): string | undefined {
  const at = items.findIndex((item) => item.key === key);
  const around = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at)).toReversed()];
  return around.find(({ decided }) => decided === undefined)?.key;
}

type RunStep = Schemas["RunStep"];

/** What was known when it was asked: the outputs of the steps that ended last before, nearest first. */
export function findGrounds(
  steps: readonly RunStep[],
  stepId: string,
  most: number,
): readonly RunStep[] {
  const place = stepId.slice(0, stepId.lastIndexOf(".") + 1);
  const asked = steps.find(({ id }) => id === stepId);
  const isBeside = (id: string): boolean =>
    id.startsWith(place) && !id.slice(place.length).includes(".") && id !== stepId;
  return steps
    .filter(
      ({ id, type, status, output, finishedAt }) =>
        isBeside(id) &&
        status === "completed" &&
        // All items of a loop together are nothing to read.
        type !== "loop" &&
        output !== undefined &&
        output !== null &&
        (asked?.startedAt == null || (finishedAt ?? "") <= asked.startedAt),
    )
    .toSorted((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? 1 : -1))
    .slice(0, most);
}
