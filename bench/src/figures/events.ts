import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import type { Rig } from "../rig.ts";
import { nowMs, percentile } from "../statistics.ts";

const SIZE = 1_000_000;
const CHUNK = 500_000;
const WARM_UP = 15;
const SETTLE_MAX_MS = 300_000;
const SETTLE_LOOK_MS = 250;
const ASKED = 60;
const TAILED = 60;
const PAGE_MS = 200;
const TAIL_MS = 150;
const PAGE = "limit=50";

/** A number in the format of ids: ten characters of Crockford's base32. */
const BASE32 = `
  create or replace function bench_base32(value bigint) returns text language sql immutable as $$
    select ${Array.from({ length: 10 }, (_, digit) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((value >> ${45 - 5 * digit}) & 31)::int + 1, 1)`).join(" || ")}
  $$`;

/**
 * Events of some kinds from an installation in long-term operation: requests of four events each, the first of which
 * caused the others; every 25th has a single event without a cause. Every 50,000th event has a rare type. They belong
 * to the previous epoch, so that each request has a separate transaction although many are written at once.
 */
const SEED = `
  insert into events (epoch, xid, tx, seq, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
    resource_type, resource_id, resource_name, correlation_id, causation_id, created_at, data)
  overriding system value
  select i.epoch - 1, request::text::xid8, request::text::xid8, n, home_workspace_id, 'production', topic,
         case when n % 50000 = 0 then topic || '.rare' else topic || (array['.created', '.updated', '.closed'])[1 + n % 3] end,
         'usr_' || lpad((n % 500)::text, 26, '0'), 'user', 'Person ' || n % 500, topic,
         topic || '_' || lpad((n / 20)::text, 26, '0'), 'Thing ' || n / 20,
         'cor_' || bench_base32((extract(epoch from at) * 1000)::bigint) || lpad(request::text, 16, '0'),
         case when n % 4 <> 1 and request % 25 <> 0
              then 'evt_' || right(bench_base32((i.epoch - 1)::bigint), 2) || bench_base32(request)
                          || bench_base32((request - 1) * 4 + 1) end,
         at,
         jsonb_build_object('number', n, 'title', 'Thing ' || n / 20, 'note', repeat('All is well. ', 8),
           'tags', jsonb_build_array('one', 'two'))
    from generate_series($1::int, $2::int) as n, installation i,
         lateral (select (array['incident', 'order', 'record', 'audit', 'run'])[1 + n % 5] as topic,
                         ((n - 1) / 4 + 1)::bigint as request) as which,
         lateral (select $4::timestamptz - ($3::int / 4 - request) * interval '4 seconds' as at) as moment`;

/** Readers must skip these past events. */
const SKIP = `
  update readers set (epoch, xid, seq) =
    (select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1)`;

const BEHIND = `
  select count(*)::int as count from readers
   where (epoch, xid, seq) < (select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1)
     and updated_at < now() - interval '2 seconds'`;

const PAGES: Readonly<Record<string, (n: number) => string>> = {
  newest: () => "",
  "of a topic": (n) => `&topic=${["incident", "order", "record"][n % 3]}`,
  "of a type": (n) => `&type=${["incident.*", "*.closed", "order.created"][n % 3]}`,
  "of a rare type": () => "&type=incident.rare",
  "of a thing": (n) => `&resourceId=order_${String(1 + n * 17).padStart(26, "0")}`,
  "by somebody": (n) => `&actorId=usr_${String(n % 500).padStart(26, "0")}`,
  "by nobody": (n) => `&actorId=usr_nobody${n}`,
  "a frequent text": () => "&q=well",
  "a text that is nowhere": (n) => `&q=nowhere${n}`,
  "before a time": (n) => `&to=${new Date(Date.now() - (n + 1) * 3_600_000).toISOString()}`,
};

/** The event explorer on a long log: the first page of any search, and the delay of the live tail. */
export const events: Figure = {
  name: "events",
  async measure(rig, { size = SIZE }) {
    const product = await furnished(rig, size);
    const parts = [];
    const searches = { ...PAGES, ...(await correlationsOf(rig, size)) };
    for (const [name, of] of Object.entries(searches)) {
      parts.push({ name, atMostMs: PAGE_MS, ...(await timesOf(product, of)) });
    }
    parts.push({ name: "live tail", atMostMs: TAIL_MS, ...(await tailOf(product)) });
    const pages = parts.slice(0, -1).map(({ p95 }) => p95);
    const tail = parts.at(-1)?.p95 ?? Infinity;
    return {
      ours: `page ${Math.max(...pages).toFixed(0)} ms, tail ${tail.toFixed(0)} ms`,
      target: `p95 ≤ ${PAGE_MS} and ${TAIL_MS} ms`,
      reached: parts.every(({ p95, atMostMs }) => p95 <= atMostMs),
      notes: [
        `${size} events`,
        ...parts.map(
          ({ name, p50, p95, worst }) =>
            `${name}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${worst.toFixed(0)} ms`,
        ),
      ],
      values: { size, parts },
    };
  },
};

/** Runs statements as the owner of the product's database. */
type Queries = Pick<Rig, "query">;

/** Fills the log of the first workspace. */
export async function seedEvents(rig: Queries, size: number): Promise<void> {
  await rig.query(BASE32);
  const endsAt = new Date().toISOString();
  const indexes = await dropIndexes(rig);
  for (let from = 1; from <= size; from += CHUNK) {
    await rig.query(SEED, [from, Math.min(from + CHUNK - 1, size), size, endsAt]);
  }
  // Much faster than an index entry per event.
  for (const definition of indexes) await rig.query(definition);
  await rig.query("vacuum analyze events");
}

async function furnished(rig: Rig, size: number): Promise<Product> {
  const first = await rig.startProduct();
  await seedEvents(rig, size);
  await first.stop();
  // The cursors are moved while a new process starts that has not read any events.
  const next = await rig.startProduct({ env: { MILLRACE_ROLE: "api" } });
  await rig.query(SKIP);
  await next.stop();
  const product = await rig.startProduct();
  for (const endsAt = nowMs() + SETTLE_MAX_MS; nowMs() < endsAt;) {
    const [behind] = await rig.query<{ count: number }>(BEHIND);
    if (behind?.count === 0) return product;
    await pause(SETTLE_LOOK_MS);
  }
  throw new Error("The readers are still behind.");
}

/** Drops indexes that are not constraints. Returns the statements that create them again. */
async function dropIndexes(rig: Queries): Promise<readonly string[]> {
  const rows = await rig.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = 'events'::regclass and not indisprimary`,
  );
  for (const { name } of rows) await rig.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/** Correlations of requests from the whole log, with and without effects. */
async function correlationsOf(rig: Rig, size: number) {
  const requests = Math.floor(size / 4);
  const idsOf = async (of: (n: number) => number): Promise<readonly string[]> => {
    const rows = await rig.query<{ correlation_id: string }>(
      `select e.correlation_id from unnest($1::text[]::xid8[]) as r (xid), installation i, lateral
         (select * from events e where e.epoch = i.epoch - 1 and e.xid = r.xid limit 1) e`,
      [Array.from({ length: WARM_UP + ASKED }, (_, n) => String(of(n)))],
    );
    return rows.map(({ correlation_id: id }) => id);
  };
  const step = Math.floor(requests / (WARM_UP + ASKED) / 25) * 25;
  const [chains, single] = [await idsOf((n) => 1 + n * step), await idsOf((n) => 25 + n * step)];
  return {
    "of a correlation": (n: number) => `&correlationId=${chains[n]}`,
    "of a correlation without consequences": (n: number) => `&correlationId=${single[n]}`,
  };
}

async function timesOf({ port, token }: Product, of: (n: number) => string) {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + ASKED; n += 1) {
    const sentAtMs = nowMs();
    const url = `http://127.0.0.1:${port}/api/v1/events/recent?${PAGE}${of(n)}`;
    const reply = await fetch(url, { headers: asMember(token) });
    const text = await reply.text();
    if (n >= WARM_UP) times.push(nowMs() - sentAtMs);
    if (reply.status !== 200) throw new Error(`It answered ${reply.status}: ${text}`);
  }
  return spreadOf(times);
}

/** From the response of a write to its arrival on a stream of all events. */
async function tailOf({ port, token }: Product) {
  const origin = `http://127.0.0.1:${port}`;
  const headers = asMember(token);
  const stream = await fetch(`${origin}/api/v1/events/topics/platform.events/stream`, { headers });
  if (stream.status !== 200 || !stream.body) throw new Error(`No stream: ${stream.status}`);
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const times: number[] = [];
  let text = "";
  for (let n = 0; n < WARM_UP + TAILED; n += 1) {
    const name = `tail ${n} of ${nowMs()}`;
    const reply = await fetch(`${origin}/api/v1/itsm/teams`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    if (reply.status !== 201) throw new Error(`It answered ${reply.status}: ${await reply.text()}`);
    const writtenAtMs = nowMs();
    while (!text.includes(name)) text += (await reader.read()).value ?? "";
    if (n >= WARM_UP) times.push(Math.max(0, nowMs() - writtenAtMs));
    text = "";
  }
  await reader.cancel();
  return spreadOf(times);
}

function spreadOf(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  return { p50, p95, worst: sorted.at(-1) ?? Infinity };
}
