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
    description: "Only relationships of these types: `depends_on,hosted_on`",
  }),
);
const direction = (initial: (typeof DIRECTIONS)[number]) =>
  Type.Enum([...DIRECTIONS], {
    default: initial,
    description:
      "`downstream` along the relationships, to what an item needs; `upstream` to what needs it",
  });
const depth = (initial: number) =>
  Type.Integer({ minimum: 1, maximum: DEPTH_MAX, default: initial, description: "Hops" });
const limit = Type.Integer({
  minimum: 1,
  maximum: NODES_MAX,
  default: 1_000,
  description: "How many items at most; `truncated` tells that there are more",
});

const Truncated = Type.Boolean({ description: "Whether there is more than is shown" });
const Edge = Type.Object({ id: RelationshipId, ...relationshipFields }, { title: "CmdbEdge" });

const Topology = Type.Object(
  {
    root: nullable(ItemId),
    nodes: Type.Array(
      Type.Object({
        ...itemSummary,
        hops: nullable(Type.Integer({ description: "From the root; null without one" })),
        incidents: Type.Integer({ description: "Open ones, for who may read them" }),
        changes: Type.Integer({ description: "Open ones, for who may read them" }),
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
  summary: "Read the graph around a configuration item, or as a whole",
  description:
    "Each item is there once, with its least distance from the root, however many ways and cycles " +
    "lead to it. Without a root: the items that were entered first, and what ties them.",
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
  incidents: Type.Array(Ticket, { description: "Open ones, up to 20" }),
  changes: Type.Array(Ticket, { description: "Open ones, up to 20" }),
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
          { description: "The item that it needs, one hop nearer, and how" },
        ),
        ...tickets,
      }),
      { description: "The nearest first" },
    ),
    counts: Type.Object({
      items: Type.Integer(),
      byClass: Tally,
      byHops: Tally,
      incidents: Type.Integer({ description: "Open ones, those of the item itself included" }),
      changes: Type.Integer({ description: "Open ones, those of the item itself included" }),
    }),
    truncated: Truncated,
  },
  { title: "CmdbImpact" },
);

const getImpact = query({
  id: "cmdb.impact",
  route: "GET /api/v1/cmdb/items/{id}/impact",
  summary: "Find out what breaks with a configuration item",
  description:
    "All that depends on it, is hosted on it, connects to it, is a member of it or uses it, and all " +
    "that needs those in turn, by hops, with the open incidents and changes of each. A member that " +
    "breaks does not break what it is a member of. Tickets are shown to who may read them.",
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
    hops: nullable(Type.Integer({ description: "Null when there is no way" })),
    nodes: Type.Array(Type.Object(itemSummary), {
      description: "In their order, both ends included",
    }),
    edges: Type.Array(Edge, { description: "The relationships between neighbours on the way" }),
    truncated: Type.Boolean({ description: "Whether there may be a way that was not looked for" }),
  },
  { title: "CmdbPath" },
);

const getPath = query({
  id: "cmdb.path",
  route: "GET /api/v1/cmdb/path",
  summary: "Find a shortest way from one configuration item to another",
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
