import Type, { type Static } from "typebox";
import { queryRows } from "#kernel/db/statement.ts";
import { listLoggedResources } from "#kernel/log/resource-history.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { id, line, object, Time } from "#kernel/schema/schema.ts";
import { AuditRead } from "./permissions.ts";

const LEFT = "user.deactivated";

const FormerMember = Type.Object(
  { id: id("usr"), name: Type.String(), email: Type.String(), leftAt: Time },
  { title: "FormerMember" },
);

/** Lists former members, because the audit log is often filtered by them and the member list does not contain them. */
export const listFormerMembers = query({
  id: "audit.list_former_members",
  route: "GET /api/v1/audit/former-members",
  summary: "List former members of the workspace",
  description:
    "`q` searches names and addresses. Deactivated members are not included; list them with the members.",
  permission: AuditRead,
  query: object({ ...pageQuery, q: Type.Optional(line(200)) }),
  response: page(FormerMember),
  example: { query: { limit: 20, q: "Ann" } },
  async run({ tx, services }, { query: { q = "", ...asked } }) {
    const left = await listLoggedResources(tx, LEFT);
    const members = await queryRows<{ readonly id: string }>(
      tx,
      "select user_id as id from memberships where user_id = any($1::text[])",
      [left.map((one) => one.id)],
    );
    const present = new Set(members.map((one) => one.id));
    const items = left.filter((one) => !present.has(one.id)).map(toFormerMember);
    const words = q.trim().toLowerCase();
    return pageOfItems(
      services,
      "former members",
      { ...asked },
      {
        items: items.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(words)),
        keyOf: (one) => one.id,
      },
    );
  },
});

function toFormerMember(left: {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
}): Static<typeof FormerMember> {
  const { name, email } = left.data;
  return {
    id: left.id,
    name: typeof name === "string" ? name : left.id,
    email: typeof email === "string" ? email : "",
    leftAt: left.at,
  };
}
