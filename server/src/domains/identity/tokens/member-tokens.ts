import { sql } from "kysely";
import Type from "typebox";
import { getMember } from "#domains/identity/accounts/index.ts";
import { assertMayManage, UsersWrite } from "#domains/identity/members/index.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { noContent, page, withRevision } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import * as store from "./store.ts";
import { tokenEventData } from "./service.ts";
import { ApiToken, TokenRevoked } from "./token.ts";

const LIST = "api tokens of members";

const MemberToken = Type.Object(
  {
    ...ApiToken.properties,
    user: Type.Object({ id: id("usr"), name: Type.String(), email: Type.String() }),
  },
  { title: "MemberToken" },
);

export const listMemberTokens = query({
  id: "users.list_tokens",
  route: "GET /api/v1/settings/tokens",
  summary: "List API tokens of members",
  permission: UsersWrite,
  query: object({ ...pageQuery, userId: Type.Optional(id("usr")) }),
  response: page(withRevision(MemberToken)),
  async run({ tx, services }, { query: { limit, after, userId } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const { rows } = await sql<store.MemberTokenRow>`
      select t.*, u.name as user_name, u.email from api_tokens t join users u on u.id = t.user_id
       where t.id > ${String(start)} and t.user_id = coalesce(${userId ?? null}, t.user_id)
       order by t.id limit ${limit + 1}`.execute(tx);
    return toPage(rows, limit, store.toMemberToken, (row) =>
      services.cursors.encode(LIST, [row.id]),
    );
  },
});

export const revokeMemberToken = command({
  id: "users.revoke_token",
  route: "DELETE /api/v1/settings/tokens/{id}",
  summary: "Revoke an API token of a member",
  description: "Only an owner can revoke tokens of an owner, in a user session.",
  permission: UsersWrite,
  params: object({ id: id("tok") }),
  response: noContent(),
  emits: [TokenRevoked],
  fails: [Forbidden],
  example: { params: { id: "tok_01jd0000000000000000000000" } },
  async run(ctx, { params }) {
    const userId = await store.findHolder(ctx.tx, params.id);
    if (userId === undefined) throw new Failure(NotFound);
    assertMayManage(ctx, await getMember(ctx.tx, userId));
    const token = await store.remove(ctx.tx, userId, params.id);
    ctx.expectRevision(token.revision);
    ctx.emit(TokenRevoked, { id: params.id, displayName: token.name }, tokenEventData(token));
  },
});
