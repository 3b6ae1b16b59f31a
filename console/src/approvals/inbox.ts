/** Pending approvals, combined with those that others decided while the list was open. */
import type { Schemas } from "../data/api.ts";

export type Approval = Schemas["Approval"];

export interface Decided {
  readonly by: string;
  readonly approved: boolean;
}

export interface InboxItem {
  readonly key: string;
  readonly approval: Approval;
  /** Set if another user decided it while it was displayed. */
  readonly decided: Decided | undefined;
}

export const keyOf = ({ runId, stepId }: Pick<Approval, "runId" | "stepId">): string =>
  `${runId}:${stepId}`;

/** Returns pending approvals by due time. Approvals decided by other users keep their position. */
export function listInbox(
  open: readonly Approval[],
  seen: ReadonlyMap<string, Approval>,
  decided: ReadonlyMap<string, Decided>,
): readonly InboxItem[] {
  const waiting = new Set(open.map(keyOf));
  const gone = [...decided].flatMap(([key, one]) => {
    const approval = seen.get(key);
    // With a quorum, the approval can still be pending after a decision.
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

/** Returns the next pending approval after one was decided. */
export function nextWaiting(items: readonly InboxItem[], key: string): string | undefined {
  const at = items.findIndex((item) => item.key === key);
  const around = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at)).toReversed()];
  return around.find(({ decided }) => decided === undefined)?.key;
}

/** A step completed before the approval, with the result. */
export interface Ground {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly isDone: boolean;
  readonly finishedAt: string | null;
}

/** Returns the steps that ended last before the approval, latest first. Loops as a whole are omitted. */
export function findGrounds(
  grounds: readonly Ground[],
  askedAt: string,
  most: number,
): readonly Ground[] {
  const timeOf = ({ finishedAt }: Ground): string => finishedAt ?? "";
  return grounds
    .filter((one) => one.isDone && one.type !== "loop" && timeOf(one) <= askedAt)
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
    .slice(0, most);
}
