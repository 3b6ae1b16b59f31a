import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { RelationshipCreated, RelationshipDeleted } from "../events.ts";
import { CmdbRead, CmdbWrite } from "../permissions.ts";
import {
  Relationship,
  RelationshipExists,
  relationshipFields,
  RelationshipId,
} from "./relationship.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: RelationshipId });
const example = { params: { id: "cir_01jd0000000000000000000000" } };
const LIST = "cmdb relationships";

const createRelationship = command({
  id: "cmdb.create_relationship",
  effect: "ordinary",
  route: "POST /api/v1/cmdb/relationships",
  summary: "Create a relationship between two configuration items",
  description:
    "`from` depends on `to`, is hosted on it, connects to it, is a member of it, or uses it. A failure of `to` affects `from`.",
  permission: CmdbWrite,
  body: object(relationshipFields),
  response: created(Relationship, {
    location: (relationship) => `/api/v1/cmdb/relationships/${relationship.id}`,
  }),
  emits: [RelationshipCreated],
  fails: [RelationshipExists],
  example: {
    body: {
      from: "ci_01jd0000000000000000000000",
      to: "ci_01jd0000000000000000000001",
      type: "hosted_on",
    },
  },
  run: (ctx, { body }) => service.create(ctx, body),
});

const listRelationships = query({
  id: "cmdb.list_relationships",
  route: "GET /api/v1/cmdb/relationships",
  summary: "List relationships, oldest first",
  permission: CmdbRead,
  query: object({
    ...pageQuery,
    item: Type.Optional(id("ci", "Returns only relationships of this item, in both directions")),
    from: Type.Optional(relationshipFields.from),
    to: Type.Optional(relationshipFields.to),
    type: Type.Optional(relationshipFields.type),
  }),
  response: page(withRevision(Relationship)),
  async run({ tx, services: { cursors } }, { query: { limit, after, ...filter } }) {
    const list = JSON.stringify([LIST, filter]);
    const [no = 0] = after === undefined ? [] : cursors.decode(list, after);
    const rows = await store.list(tx, filter, { after: Number(no), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      ({ no: _, ...relationship }) => ({ ...relationship, revision: 1 }),
      (row) => cursors.encode(list, [row.no]),
    );
  },
});

const getRelationship = query({
  id: "cmdb.get_relationship",
  route: "GET /api/v1/cmdb/relationships/{id}",
  summary: "Get a relationship",
  permission: CmdbRead,
  params: ById,
  response: item(Relationship),
  example,
  run: async ({ tx }, { params }) => ({ ...(await store.get(tx, params.id)), revision: 1 }),
});

const deleteRelationship = command({
  id: "cmdb.delete_relationship",
  route: "DELETE /api/v1/cmdb/relationships/{id}",
  summary: "Delete a relationship",
  permission: CmdbWrite,
  params: ById,
  response: noContent(),
  emits: [RelationshipDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const relationshipOperations = [
  listRelationships,
  createRelationship,
  getRelationship,
  deleteRelationship,
];
