import Type from "typebox";
import { findAccount, toAccountEmail } from "#domains/identity/accounts/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { created, item, noContent } from "#kernel/operation/response.ts";
import { id, line, object, Time } from "#kernel/schema/schema.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { operatorAccess, recordAtHome } from "./access.ts";

const Operator = Type.Object(
  {
    userId: id("usr"),
    name: Type.String(),
    email: Type.String(),
    grantedBy: Type.String({ description: "The id of an operator, or `system`" }),
    grantedAt: Time,
  },
  { title: "Operator" },
);

const OperatorData = Type.Object({ userId: id("usr"), email: Type.String() });

export const OperatorGranted = event("audit.operator.granted", {
  resource: "operator",
  summary: "An operator of the installation was added.",
  data: OperatorData,
});

export const OperatorRevoked = event("audit.operator.revoked", {
  resource: "operator",
  summary: "An operator of the installation was removed.",
  data: OperatorData,
});

export const LastOperator = failure("last_operator", 409, "The last operator can't be removed.");

interface OperatorRow {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly grantedBy: string;
  readonly grantedAt: string;
}

const OPERATORS = `
  select o.user_id as "userId", u.name, u.email, o.granted_by as "grantedBy", o.granted_at as "grantedAt"
    from operators o join users u on u.id = o.user_id
   order by o.granted_at, o.user_id limit 1000`;

function listRows(db: Database): Promise<OperatorRow[]> {
  return db.system<OperatorRow>(OPERATORS);
}

/** Makes a user an operator. Returns false if they already are. */
export async function insertOperator(
  tx: Tx,
  { userId, grantedBy, now }: { userId: string; grantedBy: string; now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto("operators")
    .values({ user_id: userId, granted_by: grantedBy, granted_at: now.toISOString() })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Makes an account an operator and records it in the installation's log. */
export async function grantOperator(
  ctx: WriteContext<typeof OperatorGranted>,
  user: { readonly id: string; readonly email: string; readonly name: string },
): Promise<boolean> {
  const grantedBy = authorOf(ctx.caller);
  if (!(await insertOperator(ctx.tx, { userId: user.id, grantedBy, now: ctx.now }))) return false;
  recordAtHome(ctx, () =>
    ctx.emit(
      OperatorGranted,
      { id: user.id, displayName: user.name },
      { userId: user.id, email: user.email },
    ),
  );
  return true;
}

export const readOperators = query({
  id: "installation.read_operators",
  route: "GET /api/v1/installation/operators",
  summary: "List operators of the installation",
  ...operatorAccess,
  response: item(Type.Object({ operators: Type.Array(Operator) })),
  prepare: ({ db }) => listRows(db),
  run: async (_ctx, _input, operators) => ({ operators }),
});

export const addOperator = command({
  id: "installation.add_operator",
  route: "POST /api/v1/installation/operators",
  summary: "Add an operator of the installation",
  description:
    "The account must have a verified e-mail address, and must not be managed by the identity provider or the administrators of a workspace. If the user is already an operator, nothing changes.",
  ...operatorAccess,
  allowNoop: true,
  body: object({ email: line(254) }),
  response: created(Operator),
  emits: [OperatorGranted],
  example: { body: { email: "admin@example.com" } },
  prepare: ({ db }, { body }) => findAccount(db, toAccountEmail(body.email)),
  async run(ctx, _input, account) {
    if (account?.user.status !== "active") {
      throw invalidField("/email", "is not the e-mail address of an active account");
    }
    // Anyone who invites its address can create an account in advance.
    if (!account.verified) {
      const way = "use the command `millrace operator` for a user who can't receive e-mail";
      throw invalidField("/email", `was never verified by its owner; ${way}`);
    }
    const { user } = account;
    await grantOperator(ctx, user);
    const row = await ctx.tx
      .selectFrom("operators")
      .select(["granted_by as grantedBy", "granted_at as grantedAt"])
      .where("user_id", "=", user.id)
      .executeTakeFirstOrThrow();
    return { userId: user.id, name: user.name, email: user.email, ...row };
  },
});

export const removeOperator = command({
  id: "installation.remove_operator",
  route: "DELETE /api/v1/installation/operators/{id}",
  summary: "Remove an operator of the installation",
  ...operatorAccess,
  params: object({ id: id("usr") }),
  response: noContent(),
  emits: [OperatorRevoked],
  fails: [LastOperator],
  example: { params: { id: "usr_01jd0000000000000000000000" } },
  prepare: ({ db }) => listRows(db),
  async run(ctx, { params }, rows) {
    ctx.expectRevision(1);
    // Two concurrent removals could remove both last operators, so the installation's row is locked.
    await ctx.tx.selectFrom("installation").select("epoch").forUpdate().execute();
    const present = await ctx.tx.selectFrom("operators").select("user_id").execute();
    const operator = rows.find(({ userId }) => userId === params.id);
    if (!operator || !present.some(({ user_id }) => user_id === params.id)) {
      throw new Failure(NotFound);
    }
    if (present.length === 1) throw new Failure(LastOperator);
    await ctx.tx.deleteFrom("operators").where("user_id", "=", params.id).execute();
    recordAtHome(ctx, () =>
      ctx.emit(
        OperatorRevoked,
        { id: operator.userId, displayName: operator.name },
        { userId: operator.userId, email: operator.email },
      ),
    );
  },
});
