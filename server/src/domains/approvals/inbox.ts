/** One list of everything that waits for a decision of the caller. Each domain contributes its subjects. */
import Type, { type Static } from "typebox";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import { holdsPermission, type Permission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

/** Entries of one kind in the inbox. */
const ENTRIES_MAX = 200;

export const WaitingApproval = Type.Object(
  {
    kind: Type.String({ description: "`run`, `request`, `change` or `agent_call`" }),
    id: Type.String({ description: "Id of the subject. For a run: `runId:stepId`" }),
    number: nullable(Type.String({ description: "Number of the ticket" })),
    title: Type.String(),
    about: nullable(Type.String({ description: "Additional information, such as the agent" })),
    path: Type.String({ description: "Page of the console where you decide" }),
    createdAt: Time,
    expiresAt: nullable(Time),
  },
  { title: "WaitingApproval" },
);
export type WaitingApproval = Static<typeof WaitingApproval>;

type Context = ReadContext & { readonly workspace: WorkspaceRef };

/** A kind of subject: who can decide, and what waits for a decision of the caller. */
export interface ApprovalSubject {
  readonly kind: string;
  readonly permission: Permission;
  readonly list: (ctx: Context, limit: number) => Promise<readonly Omit<WaitingApproval, "kind">[]>;
}

export const ApprovalSubjectPoint = extensionPoint<ApprovalSubject>("approvals.subjects");

/** Lists what waits for the caller: first what expires soonest, then the oldest. */
export async function listInbox(ctx: Context): Promise<readonly WaitingApproval[]> {
  const subjects = contributionsTo(ApprovalSubjectPoint, ctx.services.contributions).filter(
    ({ permission }) => holdsPermission(ctx.caller.permissions, permission),
  );
  const lists = await Promise.all(
    subjects.map(async ({ kind, list }) =>
      (await list(ctx, ENTRIES_MAX)).map((one) => ({ kind, ...one })),
    ),
  );
  const dueOf = ({ expiresAt, createdAt }: WaitingApproval) =>
    `${expiresAt === null ? 1 : 0} ${expiresAt ?? createdAt}`;
  return lists.flat().toSorted((a, b) => (dueOf(a) < dueOf(b) ? -1 : 1));
}
