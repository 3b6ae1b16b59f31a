import Type from "typebox";
import { getMember, listMembers } from "#domains/identity/accounts/index.ts";
import { LastOwner, RoleId } from "#domains/identity/roles/index.ts";
import { Forbidden } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { id, line, nullable, object, patch } from "#kernel/schema/schema.ts";
import { InvitationRevoked, UserActivated, UserDeactivated, UserUpdated } from "./events.ts";
import { Member, SharedAccount } from "./events.ts";
import { UsersRead, UsersWrite } from "./invitation.ts";
import * as service from "./service.ts";

const ById = object({ id: id("usr") });
const example = { params: { id: "usr_01jd0000000000000000000000" } };
const LIST = "members";
const IDS_MAX = 100;
const USER_ID = idPattern("usr").slice(1, -1);
const IDS_PATTERN = `^${USER_ID}(,${USER_ID}){0,${IDS_MAX - 1}}$`;

export const listUsers = query({
  id: "users.list",
  route: "GET /api/v1/settings/users",
  summary: "List members of the workspace",
  permission: UsersRead,
  query: object({
    ...pageQuery,
    q: Type.Optional(line(100, "Part of the name or the e-mail address")),
    status: Type.Optional(Type.Enum(["active", "deactivated"])),
    role: Type.Optional(RoleId),
    managerId: Type.Optional(id("usr", "Only members who report to this member")),
    ids: Type.Optional(
      Type.String({
        pattern: IDS_PATTERN,
        description: `Ids separated by commas; at most ${IDS_MAX}`,
      }),
    ),
  }),
  response: page(withRevision(Member)),
  async run({ tx, services }, { query: { limit, after, ids, ...filter } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await listMembers(tx, {
      ...filter,
      ids: ids?.split(","),
      after: String(start),
      limit: limit + 1,
    });
    return toPage(
      rows,
      limit,
      (row) => ({ ...row, roles: [...row.roles] }),
      (row) => services.cursors.encode(LIST, [row.id]),
    );
  },
});

export const getUser = query({
  id: "users.get",
  route: "GET /api/v1/settings/users/{id}",
  summary: "Get a member",
  permission: UsersRead,
  params: ById,
  response: item(Member),
  example,
  run: async ({ tx }, { params }) => {
    const row = await getMember(tx, params.id);
    return { ...row, roles: [...row.roles] };
  },
});

export const updateUser = command({
  id: "users.update",
  route: "PATCH /api/v1/settings/users/{id}",
  summary: "Rename, deactivate or reactivate a member, or set their manager",
  description:
    "The manager must be an active member who does not report to this member, directly or indirectly.",
  permission: UsersWrite,
  params: ById,
  body: patch({
    status: Type.Enum(["active", "deactivated"]),
    name: line(100),
    managerId: nullable(id("usr", "Manager of the member")),
  }),
  response: item(Member),
  emits: [UserActivated, UserDeactivated, UserUpdated, InvitationRevoked],
  fails: [LastOwner, Forbidden, SharedAccount],
  example: { ...example, body: { status: "deactivated" } },
  prepare: (platform, { params }, { workspace }) =>
    service.membershipsElsewhere(platform, params.id, workspace),
  async run(ctx, { params, body }, elsewhere) {
    const row = await service.updateMember(ctx, params.id, body, elsewhere);
    return { ...row, roles: [...row.roles] };
  },
});

export const removeUser = command({
  id: "users.remove",
  route: "DELETE /api/v1/settings/users/{id}",
  summary: "Remove a member from the workspace",
  description:
    "Revokes their tokens and invitations in this workspace, and their sessions if they are not a member of other workspaces.",
  permission: UsersWrite,
  params: ById,
  response: noContent(),
  emits: [UserDeactivated, InvitationRevoked],
  fails: [LastOwner, Forbidden],
  example,
  prepare: (platform, { params }, { workspace }) =>
    service.membershipsElsewhere(platform, params.id, workspace),
  run: (ctx, { params }, elsewhere) => service.remove(ctx, params.id, elsewhere),
});
