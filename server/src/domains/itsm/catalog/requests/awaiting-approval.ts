import {
  type ApprovalSubject,
  awaitsSql,
  countAwaiting,
  listAwaiting,
} from "#domains/approvals/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { RequestsSubmit } from "../permissions.ts";

/** Selects the requests with a decision of the caller pending. */
export function awaitingApprovalBy(ctx: Pick<ReadContext, "caller" | "now">): ListCondition {
  return awaitsSql({ table: "catalog_requests", kind: "request" }, ctx);
}

/** Counts the requests with a decision of the caller pending. */
export const countAwaitingApproval = (ctx: ReadContext): Promise<number> =>
  countAwaiting(ctx, "request");

/** Shows requests in the approvers' inbox. */
export const requestSubject: ApprovalSubject = {
  kind: "request",
  permission: RequestsSubmit,
  async list(ctx, limit) {
    const expiry = `(select a.expires_at from approvals a
       where a.subject_kind = 'request' and a.subject_id = catalog_requests.id and a.state = 'pending')`;
    const columns = `id, number, title, created_at as "createdAt", ${expiry} as "expiresAt"`;
    const rows = { table: "catalog_requests", kind: "request", columns };
    const found = await listAwaiting<Waiting>(ctx, rows, limit);
    return found.map((one) => ({ ...one, about: null, path: `/tickets/${one.number}` }));
  },
};

interface Waiting {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}
