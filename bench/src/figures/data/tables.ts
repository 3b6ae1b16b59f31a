import { compare } from "../../compare.ts";
import type { Product } from "../../endpoint.ts";
import type { Effort, Figure } from "../../figure.ts";
import { asMember, readsOf } from "../../request.ts";
import type { Rig } from "../../rig.ts";
import { ask, CUSTOMERS, CUSTOMERS_PATH, furnishSales, SALES } from "../../sales.ts";
import { nowMs, percentile, spreadOf } from "../../statistics.ts";

const MANY = 1_000_000;
const ASKED = 60;
const WARM_UP = 10;
const ROWS_MS = 200;
const ROLLUP_MAX = 1.3;
const LOOKUP_MIN = 0.5;
const TILES = 20;
const DASHBOARD_MS = 800;

/** Tables of a million records: first rows, a rollup over all, two lookups, and a dashboard. */
export const tables: Figure = {
  name: "tables",
  async measure(rig, effort) {
    const size = effort.size ?? MANY;
    const product = await rig.startProduct(effort);
    const schema = await furnishSales(rig, product, size);
    const rows = await firstRows(product);
    const rollup = await rollupRatio(rig, product, { schema, rounds: effort.rounds });
    const lookups = await lookupRatio(rig, product, effort);
    const dashboardMs = await coldDashboard(product, effort.rounds);
    const isReached =
      rows.every(({ p95 }) => p95 <= ROWS_MS) &&
      rollup.ratio <= ROLLUP_MAX &&
      lookups.reached &&
      dashboardMs <= DASHBOARD_MS;
    const slowest = Math.max(...rows.map(({ p95 }) => p95));
    return {
      ours: `${slowest.toFixed(0)} ms, ${rollup.oursMs.toFixed(0)} ms, ${lookups.ours}, ${dashboardMs.toFixed(0)} ms`,
      reference: `–, ${rollup.byHandMs.toFixed(0)} ms, ${lookups.reference ?? ""}, –`,
      ratio: `–, ${rollup.ratio.toFixed(2)}, ${lookups.ratio ?? ""}, –`,
      target: `p95 ≤ ${ROWS_MS} ms, ≤ ${ROLLUP_MAX}, ≥ ${LOOKUP_MIN}, ≤ ${DASHBOARD_MS} ms`,
      reached: isReached,
      notes: [
        `${size} records: first rows, a rollup over all of them, two lookups, a cold dashboard of ${TILES} tiles`,
        ...rows.map(
          ({ name, p50, p95 }) => `${name}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
        ),
      ],
      values: { rows, rollup, lookups: lookups.values, dashboardMs },
    };
  },
};

const FILTER = encodeURIComponent(JSON.stringify({ status: "returned", price: { gte: 90 } }));
/** The ways in which a grid is opened. */
const OPENINGS = {
  "as they come": "",
  filtered: `&filter=${FILTER}`,
  "by an indexed column": "&sort=status",
  "with a count": "&count=estimate",
} as const;

async function firstRows(product: Product) {
  const all = [];
  for (const [name, query] of Object.entries(OPENINGS)) {
    const times: number[] = [];
    for (let n = 0; n < WARM_UP + ASKED; n += 1) {
      const from = nowMs();
      await ask(product, "GET", `${SALES}?limit=100${query}`);
      if (n >= WARM_UP) times.push(nowMs() - from);
    }
    times.sort((a, b) => a - b);
    all.push({ name, p50: percentile(times, 0.5), p95: percentile(times, 0.95) });
  }
  return all;
}

interface RollupContest {
  readonly schema: string;
  readonly rounds: number;
}

/** Both alternate, so that other load on the machine affects both. */
async function rollupRatio(rig: Rig, product: Product, { schema, rounds }: RollupContest) {
  const byHandSql = `
    select c.id, c.name, s.turnover from "${schema}".customers c
      left join (select customer, sum(price) as turnover from "${schema}".sales group by 1) s on s.customer = c.id
     order by c.id desc limit ${CUSTOMERS}`;
  const ours: number[] = [];
  const byHand: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const mine = await timed(() =>
      ask(product, "GET", `${CUSTOMERS_PATH}?limit=${CUSTOMERS}&fields=name,turnover`),
    );
    const theirs = await timed(() => rig.query(byHandSql));
    // The first is a warm-up.
    if (round < 0) continue;
    ours.push(mine);
    byHand.push(theirs);
  }
  const ratios = ours.map((ms, at) => ms / (byHand[at] ?? 0));
  return {
    ratio: spreadOf(ratios).median,
    oursMs: spreadOf(ours).median,
    byHandMs: spreadOf(byHand).median,
  };
}

async function lookupRatio(rig: Rig, product: Product, effort: Effort) {
  const reference = await rig.startReference();
  const headers = asMember(product.token);
  const path = `${SALES}?limit=50&fields=price,status,customerName,customerCity`;
  return compare(
    {
      ours: { port: product.port, status: 200, next: readsOf([path], headers) },
      reference: { port: reference.port, status: 200, next: readsOf(["/sales"]) },
      ratioAtLeast: LOOKUP_MIN,
    },
    effort,
  );
}

/** One request for all tiles without cached results. */
async function coldDashboard(product: Product, rounds: number): Promise<number> {
  const source = { kind: "records", table: "sales" };
  const drafts = [
    { aggregates: [{ fn: "count" }] },
    { aggregates: [{ fn: "sum", field: "price" }] },
    { groupBy: ["status"] },
    { groupBy: ["status"], aggregates: [{ fn: "avg", field: "price" }] },
    { timeBucket: { field: "createdAt", unit: "day" } },
  ];
  const widgets = Array.from({ length: TILES }, (_, n) => ({
    title: `Tile ${n + 1}`,
    report: { source, ...drafts[n % drafts.length] },
    layout: { x: 0, y: n, w: 6, h: 1 },
  }));
  const made = await ask(product, "POST", "/api/v1/analytics/dashboards", {
    name: "Twenty",
    widgets,
  });
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    // A different filter each time, so that no cache contains the result.
    const filter = encodeURIComponent(JSON.stringify({ price: { gte: round / 100 } }));
    const path = `/api/v1/analytics/dashboards/${made.id}/data?maxAge=0&filter=${filter}`;
    times.push(await timed(() => ask(product, "GET", path)));
  }
  return spreadOf(times.slice(1)).median;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = nowMs();
  await work();
  return nowMs() - from;
}
