/** Shows changes waiting for the caller's vote, including votes as a delegate. */
import type { ApprovalSubject } from "#domains/approvals/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import { awaitingVoteCondition } from "../list.ts";
import { ChangesApprove } from "../permissions.ts";

/** Counts stop at this number. */
const COUNTED_MAX = 1_000;

export async function countAwaitingVotes(ctx: ReadContext): Promise<number> {
  const { text, values } = selectAwaiting(ctx, "id", COUNTED_MAX);
  const counted = `select count(*)::int as n from (${text}) waiting`;
  const [row] = await queryRows<{ n: number }>(ctx.tx, counted, values);
  return row?.n ?? 0;
}

export const changeSubject: ApprovalSubject = {
  kind: "change",
  permission: ChangesApprove,
  async list(ctx, limit) {
    const columns = `id, number, title, created_at as "createdAt"`;
    const { text, values } = selectAwaiting(ctx, columns, limit);
    const found = await queryRows<Waiting>(ctx.tx, text, values);
    return found.map((one) => ({
      ...one,
      about: null,
      path: `/changes/${one.number}`,
      expiresAt: null,
    }));
  },
};

function selectAwaiting({ caller, now }: ReadContext, columns: string, limit: number) {
  const to = new SqlParameters();
  const condition = awaitingVoteCondition(authorOf(caller), now)(to);
  const text = `select ${columns} from changes where ${condition} order by created_at limit ${limit}`;
  return { text, values: to.values };
}

interface Waiting {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly createdAt: string;
}
