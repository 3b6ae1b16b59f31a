import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import type { Rig } from "../rig.ts";
import { nowMs, percentile } from "../statistics.ts";

const TICKETS = 1_000_000;
const OPEN = 10_000;
const CHUNK = 100_000;
const WARM_UP = 10;
const ASKED = 60;
const QUEUE_MS = 300;
const SEARCH_MS = 150;
const COUNT_MS = 200;
const API = "/api/v1/itsm";

/** Typical words of a service desk. Some are in every hundredth ticket, some are rare. */
const WORDS =
  "printer mail network router laptop password login screen keyboard server disk backup license phone vpn badge " +
  "door projector table chair invoice order portal wiki calendar meeting camera headset dock cable";

/** Custom fields: one with few values, one with many. A fifth of the tickets has them. */
const FIELDS = [
  { key: "floor", name: "Floor", type: "text" },
  { key: "asset", name: "Asset", type: "text" },
];

/** One in a hundred is open, a tenth of those unassigned, and each is due at a different minute. */
const SEED = `
  insert into incidents (id, workspace_id, environment, no, number, title, description, state,
    impact, urgency, priority, severity, category, caller_id, assignee_id, created_by,
    created_at, updated_at, closed_at, fields)
  select 'inc_' || lpad(n::text, 26, '0'), home_workspace_id, 'production', n,
         'INC' || lpad(n::text, 7, '0'),
         initcap(word(n)) || ' of desk ' || n % 5000 || ' and the ' || word(n / 30),
         'Since this morning the ' || word(n * 7) || ' and the ' || word(n * 13) || ' in room ' || n % 977
           || ' do not work. Colleague ' || n % 20011 || ' has the same ' || word(n * 3) || '.',
         case when n % ($3::int / $4::int) = 0 then 'in_progress' else 'closed' end,
         1 + n % 3, 1 + n % 3, 1 + n % 5, 'medium', word(n),
         $5, case when n % ($3::int / $4::int * 10) = 0 then null else $5 end, $5, at, at, at,
         case when n % 5 = 0 then jsonb_build_object('floor', (n % 40)::text, 'asset', 'A' || n % 20011) else '{}' end
    from generate_series($1::int, $2::int) as n, installation,
         lateral (select timestamptz '2026-01-01' + n * interval '20 seconds' as at) as time`;

/** The ticket queue with ten thousand open tickets among a million: opened, searched and counted. */
export const queue: Figure = {
  name: "queue",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const headers = { ...asMember(product.token), "content-type": "application/json" };
    const ask = async <T = unknown>(
      path: string,
      body?: object,
      method = body ? "POST" : "GET",
    ): Promise<T> => {
      const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as { data: T };
      if (reply.status >= 300) throw new Error(`${path} got ${JSON.stringify(answer)}`);
      return answer.data;
    };
    const { user } = await ask<{ user: { id: string } }>("/api/v1/auth/me");
    await ask(`${API}/kinds/incident`, { fields: FIELDS }, "PATCH");
    await furnish(rig, user.id);
    const expand = "limit=50&expand=caller,assignee,team";
    const filtered = (filter: object) =>
      ask(`${API}/tickets?filter=${encodeURIComponent(JSON.stringify(filter))}&${expand}`);
    const words = WORDS.split(" ");
    const word = (n: number) => words[n % words.length] ?? "";
    const parts = [
      await timesOf("open", QUEUE_MS, () => ask(`${API}/tickets?view=open&${expand}`)),
      await timesOf("mine", QUEUE_MS, () => ask(`${API}/tickets?view=mine&${expand}`)),
      await timesOf("unassigned", QUEUE_MS, () =>
        ask(`${API}/tickets?open=true&assigneeId=none&${expand}`),
      ),
      await timesOf("search, one word", SEARCH_MS, (n) => ask(`${API}/tickets?q=${word(n)}`)),
      await timesOf("search, three words", SEARCH_MS, (n) =>
        ask(`${API}/tickets?q=${word(n)}%20${word(n * 7 + 1)}%20${n * 37}`),
      ),
      await timesOf("search over everything", SEARCH_MS, (n) =>
        ask(`/api/v1/search?q=${word(n)}%20desk`),
      ),
      await timesOf("own field, frequent value", QUEUE_MS, (n) =>
        filtered({ "fields.floor": String((n * 5) % 40) }),
      ),
      await timesOf("own field, rare value", QUEUE_MS, (n) =>
        filtered({ "fields.asset": `A${(n * 5) % 20011}` }),
      ),
      await timesOf("count after a write", COUNT_MS, async (n) => {
        await ask(`${API}/incidents`, { title: `Late ${n}` });
        return () => ask(`${API}/views/counts`);
      }),
    ];
    return {
      ours: parts.map(({ p95 }) => `${p95.toFixed(0)} ms`).join(", "),
      target: `p95 ≤ ${QUEUE_MS}, ${SEARCH_MS}, ${COUNT_MS} ms`,
      reached: parts.every(({ p95, atMostMs }) => p95 <= atMostMs),
      notes: parts.map(
        ({ name, p50, p95, atMostMs }) =>
          `${name}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of at most ${atMostMs}`,
      ),
      values: { parts },
    };
  },
};

async function furnish(rig: Rig, userId: string): Promise<void> {
  const list = `'{${WORDS.replaceAll(" ", ",")}}'::text[]`;
  await rig.query(
    `create function word(n bigint) returns text language sql immutable
     as $$ select (${list})[1 + (abs(hashint8(n)::bigint) % ${WORDS.split(" ").length})] $$`,
  );
  for (let from = 1; from <= TICKETS; from += CHUNK) {
    await rig.query(SEED, [from, from + CHUNK - 1, TICKETS, OPEN, userId]);
  }
  // Like an SLA policy would have set it.
  await rig.query(
    `update tickets set due_at = created_at + interval '8 hours', due_state = 'running', due_metric = 'resolution'
      where is_open`,
  );
  await rig.query(
    `insert into ticket_numbers (workspace_id, kind, last)
     select home_workspace_id, 'incident', $1 from installation on conflict do nothing`,
    [TICKETS * 2],
  );
  await rig.query("vacuum analyze incidents");
  await rig.query("vacuum analyze tickets");
  await rig.query("vacuum analyze ticket_field_values");
}

/** Sends one request at a time. If the result is another request, only that is timed. */
async function timesOf(name: string, atMostMs: number, ask: (n: number) => Promise<unknown>) {
  const times: number[] = [];
  for (let n = 1; n <= WARM_UP + ASKED; n += 1) {
    let sentAtMs = nowMs();
    const answer = await ask(n);
    if (typeof answer === "function") {
      sentAtMs = nowMs();
      await answer();
    }
    if (n > WARM_UP) times.push(nowMs() - sentAtMs);
  }
  times.sort((a, b) => a - b);
  return { name, atMostMs, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}
