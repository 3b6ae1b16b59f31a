import Type from "typebox";
import { RoleId, RolesRead, RolesWrite } from "#domains/identity/roles/index.ts";
import { ENVIRONMENT_NAMES } from "#kernel/db/partition.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, line, nullable, object } from "#kernel/schema/schema.ts";
import { explain, prepareExplanation } from "./explain.ts";
import { paramNames } from "./decision.ts";

const OperationEntry = Type.Object(
  {
    id: Type.String(),
    summary: Type.String(),
    kind: Type.Enum(["command", "query"]),
    access: Type.Enum(["workspace", "account", "public", "visitor"]),
    permission: nullable(Type.String()),
    params: Type.Array(Type.String(), { description: "Names of the path parameters, in order" }),
  },
  { title: "OperationEntry" },
);

export const listOperations = query({
  id: "access.list_operations",
  route: "GET /api/v1/access/operations",
  summary: "List all operations with their required permissions",
  permission: RolesRead,
  response: item(
    Type.Object({ operations: Type.Array(OperationEntry) }, { title: "OperationEntries" }),
  ),
  async prepare({ operations }) {
    return [...operations.values()]
      .map((op) => ({
        id: op.id,
        summary: op.summary,
        kind: op.kind,
        access: op.access,
        permission: op.permission?.name ?? null,
        params: paramNames(op),
      }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  },
  run: async (_ctx, _input, operations) => ({ operations }),
});

const RoleRef = Type.Object({ id: RoleId, name: Type.String() });

const Explanation = Type.Object(
  {
    allowed: Type.Boolean(),
    operation: OperationEntry,
    person: Type.Object({
      id: id("usr"),
      name: Type.String(),
      email: Type.String(),
      roles: Type.Array(RoleRef),
    }),
    environment: Type.Enum([...ENVIRONMENT_NAMES]),
    reasons: Type.Array(
      Type.Object({
        check: Type.Enum([
          "audience",
          "membership",
          "second_factor",
          "permission",
          "token_scope",
          "owner_in_person",
          "environment",
          "thing",
        ]),
        passed: nullable(Type.Boolean({ description: "Null if it could not be checked" })),
        text: Type.String(),
      }),
      { description: "The checks in order. The first failed check decides" },
    ),
    grantedBy: Type.Array(Type.Object({ ...RoleRef.properties, pattern: Type.String() }), {
      description: "Roles of the user with the permission, and the matching entry",
    }),
    wouldGrant: Type.Array(RoleRef, { description: "Other roles with the permission" }),
    failure: nullable(
      Type.Object({ status: Type.Integer(), code: Type.String(), detail: Type.String() }),
    ),
  },
  { title: "AccessExplanation" },
);

export const explainAccess = query({
  id: "access.explain",
  route: "GET /api/v1/access/explain",
  summary: "Explain the access of a user to an operation",
  description:
    "The result is the same as for a real call. `thing` contains the values of the path parameters, in order and separated by `/`: the resource is read as the user, if you can view it, and its content is discarded. `tokenId` checks one of their API tokens.",
  permission: RolesWrite,
  query: object({
    userId: id("usr"),
    operation: line(100),
    environment: Type.Optional(Type.Enum([...ENVIRONMENT_NAMES])),
    thing: Type.Optional(line(500)),
    tokenId: Type.Optional(id("tok")),
  }),
  response: item(Explanation),
  example: { query: { userId: "usr_01jd0000000000000000000000", operation: "incidents.create" } },
  prepare: (platform, input, caller) => prepareExplanation(platform, input.query, caller),
  run: (ctx, { query: question }, prepared) => explain(ctx, question, prepared),
});
