import Type from "typebox";
import { NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, nullable, object } from "#kernel/schema/schema.ts";
import { ItemId, itemSummary } from "../items/item.ts";
import { CmdbRead } from "../permissions.ts";
import {
  RELATIONSHIP_TYPES,
  relationshipFields,
  RelationshipId,
} from "../relationships/relationship.ts";
import { DIRECTIONS } from "./edges.ts";
import { countTicketsOn, readImpact } from "./impact.ts";
import { readNeighbourhood, readWholeGraph, findShortestPath } from "./topology.ts";

const DEPTH_MAX = 10;
const NODES_MAX = 5_000;

const oneType = `(${RELATIONSHIP_TYPES.join("|")})`;
const types = Type.Optional(
  Type.String({
    pattern: `^${oneType}(,${oneType})*$`,
    maxLength: 200,
    description: "Returns only relationships of these types: `depends_on,hosted_on`",
  }),
);
const direction = (initial: (typeof DIRECTIONS)[number]) =>
  Type.Enum([...DIRECTIONS], {
    default: initial,
    description:
      "`downstream` follows relationships to the dependencies of an item, `upstream` to its dependents",
  });
const depth = (initial: number) =>
  Type.Integer({
    minimum: 1,
    maximum: DEPTH_MAX,
    default: initial,
    description: "Maximum number of relationships from the root",
  });
const limit = Type.Integer({
  minimum: 1,
  maximum: NODES_MAX,
  default: 1_000,
  description: "Maximum number of items. `truncated` is true if there are more",
});

const Truncated = Type.Boolean({ description: "Whether there are more items" });
const Edge = Type.Object({ id: RelationshipId, ...relationshipFields }, { title: "CmdbEdge" });

const Topology = Type.Object(
  {
    root: nullable(ItemId),
    nodes: Type.Array(
      Type.Object({
        ...itemSummary,
        hops: nullable(
          Type.Integer({ description: "Distance from the root. Null without a root" }),
        ),
        incidents: Type.Integer({ description: "Open incidents, if you can view incidents" }),
        changes: Type.Integer({ description: "Open changes, if you can view changes" }),
      }),
    ),
    edges: Type.Array(Edge, { description: "All relationships between the nodes" }),
    truncated: Truncated,
  },
  { title: "CmdbTopology" },
);

const getTopology = query({
  id: "cmdb.topology",
  route: "GET /api/v1/cmdb/topology",
  summary: "Get the dependency graph of a configuration item, or of all items",
  description:
    "Returns each item once, with its shortest distance from the root. Without a root, it returns the oldest items and their relationships.",
  permission: CmdbRead,
  query: object({
    root: Type.Optional(id("ci")),
    depth: depth(2),
    direction: direction("downstream"),
    types,
    limit,
  }),
  response: item(Topology),
  fails: [NotFound],
  example: {
    query: {
      root: "ci_01jd0000000000000000000000",
      depth: 3,
      direction: "both",
      types: "depends_on,hosted_on",
      limit: 500,
    },
  },
  async run(ctx, { query: options }) {
    const { tx } = ctx;
    const filter = { direction: options.direction, types: options.types?.split(",") };
    const { root } = options;
    const topology = await (root === undefined
      ? readWholeGraph(tx, filter.types, options.limit)
      : readNeighbourhood(tx, filter, { ...options, root }));
    const ticketsOn = await countTicketsOn(
      ctx,
      topology.nodes.map(({ id: itemId }) => itemId),
    );
    return {
      ...topology,
      nodes: topology.nodes.map((node) => ({ ...node, ...ticketsOn(node.id) })),
    };
  },
});

const Ticket = Type.Object({
  id: Type.String(),
  number: Type.String(),
  title: Type.String(),
  state: Type.String(),
});
const tickets = {
  incidents: Type.Array(Ticket, { description: "Open incidents, at most 20" }),
  changes: Type.Array(Ticket, { description: "Open changes, at most 20" }),
};
const Tally = Type.Record(Type.String(), Type.Integer());

const Impact = Type.Object(
  {
    item: Type.Object({ ...itemSummary, ...tickets }),
    impacted: Type.Array(
      Type.Object({
        ...itemSummary,
        hops: Type.Integer(),
        via: Type.Object(
          { itemId: ItemId, type: relationshipFields.type },
          {
            description: "Dependency one step closer to the item, with the relationship type",
          },
        ),
        ...tickets,
      }),
      { description: "Closest first" },
    ),
    counts: Type.Object({
      items: Type.Integer(),
      byClass: Tally,
      byHops: Tally,
      incidents: Type.Integer({
        description: "Number of open incidents, including incidents of the item",
      }),
      changes: Type.Integer({
        description: "Number of open changes, including changes to the item",
      }),
    }),
    truncated: Truncated,
  },
  { title: "CmdbImpact" },
);

const getImpact = query({
  id: "cmdb.impact",
  route: "GET /api/v1/cmdb/items/{id}/impact",
  summary: "Get the impact of a configuration item",
  description:
    "Returns all items that depend on it, are hosted on it, connect to it, are members of it or use it, and their dependents, by distance, with the open incidents and changes that you can view. A failing member does not affect the group that it belongs to.",
  permission: CmdbRead,
  params: object({ id: ItemId }),
  query: object({ depth: depth(5), types, limit }),
  response: item(Impact),
  example: {
    params: { id: "ci_01jd0000000000000000000000" },
    query: { depth: 3, limit: 1_000 },
  },
  run: (ctx, { params, query: options }) =>
    readImpact(ctx, params.id, { ...options, types: options.types?.split(",") }),
});

const Path = Type.Object(
  {
    hops: nullable(Type.Integer({ description: "Null if there is no path" })),
    nodes: Type.Array(Type.Object(itemSummary), {
      description: "In order, including both ends",
    }),
    edges: Type.Array(Edge, { description: "The relationships along the path" }),
    truncated: Type.Boolean({ description: "Whether the search stopped before it was complete" }),
  },
  { title: "CmdbPath" },
);

const getPath = query({
  id: "cmdb.path",
  route: "GET /api/v1/cmdb/path",
  summary: "Find a shortest path between two configuration items",
  permission: CmdbRead,
  query: object({
    from: id("ci"),
    to: id("ci"),
    depth: depth(DEPTH_MAX),
    direction: direction("both"),
    types,
  }),
  response: item(Path),
  fails: [NotFound],
  example: {
    query: {
      from: "ci_01jd0000000000000000000000",
      to: "ci_01jd0000000000000000000001",
      depth: 10,
      direction: "both",
    },
  },
  run: ({ tx }, { query: options }) =>
    findShortestPath(
      tx,
      { direction: options.direction, types: options.types?.split(",") },
      options,
    ),
});

export const graphOperations = [getTopology, getImpact, getPath];
