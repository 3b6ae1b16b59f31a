import { setTimeout as pause } from "node:timers/promises";
import { schemaOf } from "../../../server/src/kernel/db/sql-runner.ts";
import type { Product } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { load } from "../load.ts";
import { furnishOrders } from "../orders.ts";
import { asMember, readsOf } from "../request.ts";
import type { Rig } from "../rig.ts";
import { spreadOf } from "../statistics.ts";

/** Can be reduced for a quick run: BENCH_RECORDS=20000. */
const RECORDS = Number(process.env["BENCH_RECORDS"] ?? 1_000_000);
const WIDGETS = 8;
const RATIO_MAX = 1.2;
const GROWTH_MAX_MB = 50;
const SAMPLE_MS = 100;
const ANALYTICS = "/api/v1/analytics";

const WARM_UPS = 4;
/** Eight reports over a million records take seconds. */
const DASHBOARD_MS = 15_000;

const DRAFT = {
  source: { kind: "records", table: "orders" },
  timeBucket: { field: "createdAt", unit: "day", timezone: "Europe/Berlin" },
  aggregates: [{ fn: "count" }, { fn: "sum", field: "price", as: "turnover" }],
};
const BY_HAND = (table: string): string => `
  select date_trunc('day', created_at, 'Europe/Berlin') as bucket, count(*), sum(price) as turnover
    from ${table} group by 1 order by 1`;

/** A report by day against the same hand-written SQL, a dashboard of eight reports, and an export of all records. */
export const reports: Figure = {
  name: "reports",
  async measure(rig, { rounds, roundMs, profileFolder }) {
    const product = await rig.startProduct({ profileFolder });
    await furnishOrders(rig, product, RECORDS);
    const ratio = await reportRatio(rig, product, rounds);
    const dashboard = await dashboardLoad(product, roundMs);
    const file = await exportAll(product);
    const growthMb = file.growthBytes / 1e6;
    return {
      ours: `${ratio.oursMs.toFixed(0)} ms, ${Math.round(dashboard.perSecond)}/s, ${Math.round(file.rowsPerSecond)} rows/s`,
      reference: `${ratio.byHandMs.toFixed(0)} ms by hand`,
      ratio: ratio.ratio.toFixed(2),
      target: `≤ ${RATIO_MAX}, export within ${GROWTH_MAX_MB} MB`,
      reached: ratio.ratio <= RATIO_MAX && growthMb < GROWTH_MAX_MB,
      notes: [
        `${RECORDS} records: a report by day, a dashboard of ${WIDGETS} widgets, an export as csv`,
        `dashboard: p50 ${dashboard.p50Ms.toFixed(1)} ms, p99 ${dashboard.p99Ms.toFixed(1)} ms`,
        `export: ${growthMb.toFixed(0)} MB more memory at most, ${(file.bytes / 1e6).toFixed(0)} MB of file`,
      ],
      values: { ratio, dashboard, file },
    };
  },
};

/** Both alternate, so that other load on the machine affects both. */
async function reportRatio(rig: Rig, product: Product, rounds: number) {
  const [row] = await rig.query<{ key: string }>(
    "select home_workspace_id as key from installation",
  );
  const schema = schemaOf({ workspace: row?.key ?? "", environment: "production" });
  const ours: number[] = [];
  const byHand: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const mine = await timed(() => call(product, `${ANALYTICS}/reports/preview`, DRAFT));
    const theirs = await timed(() => rig.query(BY_HAND(`"${schema}".orders`)));
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

async function dashboardLoad(product: Product, roundMs: number) {
  const widgets = [];
  for (let n = 1; n <= WIDGETS; n += 1) {
    const body = { name: `Report ${n}`, ...DRAFT, filter: { quantity: { gte: n } } };
    const { data } = await call(product, `${ANALYTICS}/reports`, body);
    const layout = { x: 0, y: n, w: 6, h: 1 };
    widgets.push({ title: `Report ${n}`, kind: "report", reportId: data["id"], layout });
  }
  const { data } = await call(product, `${ANALYTICS}/dashboards`, { name: "Eight", widgets });
  const path = `${ANALYTICS}/dashboards/${String(data["id"])}/data`;
  const next = readsOf([path], asMember(product.token));
  return load(
    { port: product.port, status: 200, next, connections: 1 },
    { forMs: Math.max(roundMs, DASHBOARD_MS) },
  );
}

async function exportAll(product: Product) {
  // Warms up the process: V8 lets its heap grow to a multiple of the live data before it collects, so the heap of a
  // new process grows with any work.
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) {
    await exported(product, { filter: { quantity: { lt: 10 } } });
  }
  return exported(product, {});
}

async function exported(product: Product, narrowing: object) {
  const before = await residentBytes(product.port);
  const from = performance.now();
  const asked = { source: DRAFT.source, format: "csv", ...narrowing };
  const { data } = await call(product, `${ANALYTICS}/exports`, asked);
  const path = `${ANALYTICS}/exports/${String(data["id"])}`;
  let most = before;
  for (;;) {
    const { data: now } = await call(product, path);
    most = Math.max(most, await residentBytes(product.port));
    if (now["status"] === "completed") {
      const seconds = (performance.now() - from) / 1000;
      return {
        rowsPerSecond: RECORDS / seconds,
        growthBytes: most - before,
        bytes: Number(now["bytes"]),
      };
    }
    if (now["status"] === "failed") throw new Error(`The export failed: ${String(now["error"])}`);
    await pause(SAMPLE_MS);
  }
}

async function residentBytes(port: number): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await reply.text())?.[1]);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function call(
  { port, token }: Product,
  path: string,
  body?: unknown,
): Promise<{ data: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...asMember(token) },
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { data: Readonly<Record<string, unknown>> };
}
