import fc from "fast-check";
import { expect, test } from "vitest";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { RELATIONSHIP_TYPES } from "../relationships/relationship.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

interface Tie {
  readonly from: number;
  readonly to: number;
  readonly type: string;
}

/** Inserts items and relationships into the home workspace without the API. Returns the item ids. */
async function furnish(count: number, ties: readonly Tie[]): Promise<string[]> {
  const ids = Array.from({ length: count }, idsInOrder("ci", Date.now()));
  await world.sql(
    `insert into cmdb_items (id, workspace_id, environment, class, name, status, description,
       attributes, created_by, created_at, updated_at)
     select id, $1, 'production', 'server', 'n' || n, 'active', '', '{}', 'system', now(), now()
       from unnest($2::text[]) with ordinality as item (id, n)`,
    [world.home, ids],
  );
  await world.sql(
    `insert into cmdb_relationships
       (id, workspace_id, environment, from_id, to_id, type, created_by, created_at)
     select id, $1, 'production', from_id, to_id, type, 'system', now()
       from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as t (id, from_id, to_id, type)`,
    [
      world.home,
      ties.map(() => newId("cir")),
      ties.map(({ from }) => ids[from]),
      ties.map(({ to }) => ids[to]),
      ties.map(({ type }) => type),
    ],
  );
  return ids;
}

/** A simple reference search for all distances. */
function distancesIn(ties: readonly Tie[], direction: string, root: number): Map<number, number> {
  const distances = new Map([[root, 0]]);
  for (let hops = 1; ; hops += 1) {
    const next = new Set<number>();
    for (const { from, to } of ties) {
      if (direction !== "upstream" && distances.get(from) === hops - 1) next.add(to);
      if (direction !== "downstream" && distances.get(to) === hops - 1) next.add(from);
    }
    const fresh = [...next].filter((id) => !distances.has(id));
    if (fresh.length === 0) return distances;
    for (const id of fresh) distances.set(id, hops);
  }
}

const NODES = 10;
const node = fc.nat(NODES - 1);
const aType = fc.constantFrom(...RELATIONSHIP_TYPES);
const graph = fc
  .array(fc.record({ from: node, to: node, type: aType }), { maxLength: 30 })
  .map((ties) => {
    const different = ties.filter(({ from, to }) => from !== to);
    return [...new Map(different.map((tie) => [JSON.stringify(tie), tie])).values()];
  });
const asking = fc.record({
  root: node,
  other: node,
  depth: fc.integer({ min: 1, max: 5 }),
  direction: fc.constantFrom("downstream", "upstream", "both"),
  types: fc.option(fc.uniqueArray(aType, { minLength: 1 })),
});
const RUNS = { numRuns: tries(30) };

function followed(ties: readonly Tie[], types: readonly string[] | null): readonly Tie[] {
  return types ? ties.filter(({ type }) => types.includes(type)) : ties;
}

test("topology equals the reference search, including cycles", async () => {
  const holds = async (ties: Tie[], asked: any) => {
    const ids = await furnish(NODES, ties);
    const { root, depth, direction, types } = asked;
    const query = `root=${ids[root]}&depth=${depth}&direction=${direction}`;
    const typed = types ? `&types=${types.join(",")}` : "";
    const { status, body } = await owner(`GET /api/v1/cmdb/topology?${query}${typed}`);
    expect(status).toBe(200);
    const counted = followed(ties, types);
    const within = [...distancesIn(counted, direction, root)].filter(([, hops]) => hops <= depth);
    const near = new Map(within);
    const hopsOf = body.data.nodes.map(({ id, hops }: any) => [ids.indexOf(id), hops]);
    expect(new Map(hopsOf)).toEqual(near);
    expect(hopsOf).toHaveLength(near.size);
    const order = hopsOf.map(([, hops]: any) => hops);
    expect(order).toEqual(order.toSorted((a: number, b: number) => a - b));
    const among = counted.filter(({ from, to }) => near.has(from) && near.has(to));
    const edges = body.data.edges.map(({ from, to, type }: any) =>
      JSON.stringify({ from: ids.indexOf(from), to: ids.indexOf(to), type }),
    );
    expect(edges.toSorted()).toEqual(
      among.map(({ from, to, type }) => JSON.stringify({ from, to, type })).toSorted(),
    );
    expect(body.data).toMatchObject({ root: ids[root], truncated: false });
  };
  await fc.assert(fc.asyncProperty(graph, asking, holds), RUNS);
});

test("a graph over the limit is truncated, nearest items first", async () => {
  const holds = async (ties: Tie[], asked: any, limit: number) => {
    const ids = await furnish(NODES, ties);
    const { root, depth, direction } = asked;
    const query = `root=${ids[root]}&depth=${depth}&direction=${direction}&limit=${limit}`;
    const { data } = (await owner(`GET /api/v1/cmdb/topology?${query}`)).body;
    const distances = distancesIn(ties, direction, root);
    const within = [...distances.values()].filter((hops) => hops <= depth).toSorted();
    expect(data.nodes.map(({ hops }: any) => hops)).toEqual(within.slice(0, limit));
    for (const { id, hops } of data.nodes) expect(distances.get(ids.indexOf(id))).toBe(hops);
    expect(data.truncated).toBe(within.length > limit);
  };
  await fc.assert(fc.asyncProperty(graph, asking, fc.integer({ min: 1, max: 8 }), holds), RUNS);
});

test("impact includes all dependants of an item, with their paths", async () => {
  const holds = async (ties: Tie[], asked: any) => {
    const ids = await furnish(NODES, ties);
    const { root, depth } = asked;
    const { data } = (await owner(`GET /api/v1/cmdb/items/${ids[root]}/impact?depth=${depth}`))
      .body;
    const distances = distancesIn(ties, "upstream", root);
    const within = [...distances].filter(([, hops]) => hops > 0 && hops <= depth);
    expect(new Map(data.impacted.map((one: any) => [ids.indexOf(one.id), one.hops]))).toEqual(
      new Map(within),
    );
    for (const { id, hops, via } of data.impacted) {
      const [from, to] = [ids.indexOf(id), ids.indexOf(via.itemId)];
      expect(ties).toContainEqual({ from, to, type: via.type });
      expect(distances.get(to)).toBe(hops - 1);
    }
    expect(data.counts.items).toBe(within.length);
    expect(data.counts.byClass).toEqual(within.length === 0 ? {} : { server: within.length });
    expect(data.truncated).toBe(false);
  };
  await fc.assert(fc.asyncProperty(graph, asking, holds), RUNS);
});

test("a path is a shortest path, or null if none exists", async () => {
  const holds = async (ties: Tie[], asked: any) => {
    const ids = await furnish(NODES, ties);
    const { root, other, direction, types } = asked;
    const query = `from=${ids[root]}&to=${ids[other]}&direction=${direction}`;
    const typed = types ? `&types=${types.join(",")}` : "";
    const { data } = (await owner(`GET /api/v1/cmdb/path?${query}${typed}`)).body;
    const hops = distancesIn(followed(ties, types), direction, root).get(other) ?? null;
    expect(data).toMatchObject({ hops, truncated: false });
    expect(data.nodes).toHaveLength(hops === null ? 0 : hops + 1);
    for (const [index, { id }] of data.nodes.slice(1).entries()) {
      const ends = [data.nodes[index].id, id].toSorted();
      const between = data.edges.filter(({ from, to }: any) => {
        const pair = [from, to].toSorted();
        return pair[0] === ends[0] && pair[1] === ends[1];
      });
      expect(between.length).toBeGreaterThan(0);
    }
  };
  await fc.assert(fc.asyncProperty(graph, asking, holds), RUNS);
});

test("downstream finds dependencies, upstream finds dependants, and cycles end", async () => {
  const ring = [0, 1, 2].map((from) => ({ from, to: (from + 1) % 3, type: "depends_on" }));
  const ids = await furnish(4, [...ring, { from: 2, to: 3, type: "hosted_on" }]);
  const hops = async (question: string) => {
    const { data } = (await owner(`GET /api/v1/cmdb/topology?root=${ids[0]}&${question}`)).body;
    return data.nodes.map((one: any) => `${ids.indexOf(one.id)}@${one.hops}`);
  };
  expect(await hops("depth=10")).toEqual(["0@0", "1@1", "2@2", "3@3"]);
  expect(await hops("")).toEqual(["0@0", "1@1", "2@2"]);
  expect(await hops("depth=10&direction=upstream")).toEqual(["0@0", "2@1", "1@2"]);
  expect(await hops("depth=1&direction=both")).toEqual(["0@0", "1@1", "2@1"]);
  expect(await hops("depth=10&types=hosted_on")).toEqual(["0@0"]);
});

test("without a root the result is the complete graph, up to the limit", async () => {
  const ask = await world.member(["viewer"], await world.workspace("cmdb-overview"));
  const empty = await ask("GET /api/v1/cmdb/topology");
  expect(empty.body.data).toEqual({ root: null, nodes: [], edges: [], truncated: false });
  const agent = await world.member(["agent"]);
  const shown = await agent("GET /api/v1/cmdb/topology?limit=5");
  expect(shown.body.data.nodes).toHaveLength(5);
  expect(shown.body.data).toMatchObject({ root: null, truncated: true });
  expect(shown.body.data.nodes[0].hops).toBe(null);
  const among = new Set(shown.body.data.nodes.map(({ id }: any) => id));
  for (const { from, to } of shown.body.data.edges) {
    expect(among.has(from) && among.has(to)).toBe(true);
  }
});

test("an unknown item or an excessive depth is rejected", async () => {
  const missing = "ci_00000000000000000000000000";
  const [id] = await furnish(1, []);
  const stranger = await world.member(["owner"], await world.workspace("cmdb-strangers"));
  expect((await owner(`GET /api/v1/cmdb/topology?root=${missing}`)).status).toBe(404);
  expect((await stranger(`GET /api/v1/cmdb/topology?root=${id}`)).status).toBe(404);
  expect((await owner(`GET /api/v1/cmdb/path?from=${id}&to=${missing}`)).status).toBe(404);
  const wrong = [
    "depth=0",
    "depth=11",
    "direction=down",
    "types=likes",
    "types=uses,",
    "limit=5001",
  ];
  for (const question of wrong) {
    const answer = await owner(`GET /api/v1/cmdb/topology?root=${id}&${question}`);
    expect(answer).toMatchObject({ status: 422 });
  }
});

test("impact includes open tickets of each item for callers who can read them", async () => {
  const [server = "", app = ""] = await furnish(2, [{ from: 1, to: 0, type: "hosted_on" }]);
  const raise = async (title: string, ciIds: readonly string[]) =>
    (await owner("POST /api/v1/itsm/incidents", { title, ciIds })).body.data;
  const both = await raise("All down", [server, app]);
  const one = await raise("Slow", [app]);
  const ended = await raise("Nothing", [app]);
  await owner(`POST /api/v1/itsm/incidents/${ended.id}/cancel`, { reason: "A false alarm" });
  const change = (
    await owner("POST /api/v1/itsm/changes", { title: "Patch", type: "normal", ciIds: [server] })
  ).body.data;
  const { data } = (await owner(`GET /api/v1/cmdb/items/${server}/impact`)).body;
  const told = ({ id, number, title, state }: any) => ({ id, number, title, state });
  expect(data.item).toMatchObject({ incidents: [told(both)], changes: [told(change)] });
  expect(data.impacted).toMatchObject([{ id: app, hops: 1, changes: [] }]);
  const byId = (a: any, b: any) => (a.id < b.id ? -1 : 1);
  expect(data.impacted[0].incidents.toSorted(byId)).toEqual([told(both), told(one)].toSorted(byId));
  expect(data.counts).toMatchObject({ items: 1, incidents: 2, changes: 1 });
  const around = `GET /api/v1/cmdb/topology?root=${app}`;
  const countsFor = async (ask: typeof owner) =>
    (await ask(around)).body.data.nodes.map(({ id, incidents, changes }: any) => [
      id,
      incidents,
      changes,
    ]);
  expect(await countsFor(owner)).toEqual([
    [app, 2, 0],
    [server, 1, 1],
  ]);

  const role = await owner("POST /api/v1/settings/roles", {
    name: "Map reader",
    permissions: ["cmdb:read"],
  });
  const reader = await world.member([role.body.data.id]);
  const seen = (await reader(`GET /api/v1/cmdb/items/${server}/impact`)).body.data;
  expect(seen).toMatchObject({
    item: { incidents: [], changes: [] },
    impacted: [{ id: app, incidents: [], changes: [] }],
    counts: { incidents: 0, changes: 0 },
  });
  expect(await countsFor(reader)).toEqual([
    [app, 0, 0],
    [server, 0, 0],
  ]);
});
