import { DatabaseServer } from "../../database-server.ts";
import type { Figure } from "../../figure.ts";
import { asMember } from "../../request.ts";
import { logIn, type Rig } from "../../rig.ts";
import { nowMs, percentile } from "../../statistics.ts";

const RECORDS = 50_000;
const RECORDS_AT_ONCE = 1_000;
const DIMENSIONS = 384;
const TARGET = 0.5;
const QUESTIONS = 20;
const WARM_UP = 3;
const DATABASE = "millrace_bench_vectors";
const MODEL = "minilm-l6-v2";

/** The records nearest to a vector with pgvector, against the same on the same server without it. */
export const vectors: Figure = {
  name: "vectors",
  async measure(rig, { size = RECORDS }) {
    const given = process.env["BENCH_DATABASE_URL"];
    if (given === undefined)
      throw new Error("Set BENCH_DATABASE_URL to a PostgreSQL server with pgvector.");
    const server = new DatabaseServer(given);
    try {
      await server.create(DATABASE);
      const product = await startProduct(rig, server);
      const ask = asker(product.port, await logIn(product.port));
      await fill(server, ask, size);
      const ours = await measureSearches(ask);
      await server.query(DATABASE, "drop extension vector cascade");
      const reference = await measureSearches(ask);
      if (ours.found.join() !== reference.found.join())
        throw new Error("pgvector has found other records.");
      await product.stop();
      return describe(ours.times, reference.times, size);
    } finally {
      await server.drop(DATABASE);
    }
  },
};

function describe(ours: readonly number[], reference: readonly number[], records: number) {
  const [own, other] = [percentile(ours, 0.5), percentile(reference, 0.5)];
  const ratio = own / other;
  return {
    ours: `p50 ${own.toFixed(0)} ms`,
    reference: `p50 ${other.toFixed(0)} ms`,
    ratio: ratio.toFixed(2),
    target: `≤ ${TARGET}`,
    reached: ratio <= TARGET,
    notes: [
      `${records} records of ${DIMENSIONS} dimensions, every other search with a filter`,
      `p95 ${percentile(ours, 0.95).toFixed(0)} ms, without pgvector ${percentile(reference, 0.95).toFixed(0)} ms`,
    ],
    values: { ours, reference, records },
  };
}

async function startProduct(rig: Rig, server: DatabaseServer) {
  return rig.startPlainProduct({
    DATABASE_URL: server.urlOf(DATABASE),
    MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    MILLRACE_DATA_DIR: await rig.folder(DATABASE),
    MILLRACE_CONSOLE: "off",
  });
}

type Asker = (method: string, path: string, body: object) => Promise<any>;

function asker(port: number, token: string): Asker {
  return async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/tables${path}`, {
      method,
      headers: { ...asMember(token), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
}

/** Reproducible pseudo-random numbers. */
function generator(seed: number): () => number {
  let last = seed;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

function unitVector(next: () => number): Float32Array {
  const numbers = Array.from({ length: DIMENSIONS }, () => next() - 0.5);
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (one) => one / length);
}

/** Inserts vectors directly, because the model would need an hour. */
async function fill(server: DatabaseServer, ask: Asker, size: number): Promise<void> {
  const columns = [
    { name: "title", type: "text" },
    { name: "area", type: "integer" },
  ];
  const { data: table } = await ask("POST", "", { name: "Notes", slug: "notes", columns });
  const next = generator(11);
  for (let from = 0; from < size; from += RECORDS_AT_ONCE) {
    const records = Array.from({ length: Math.min(RECORDS_AT_ONCE, size - from) }, (_, at) => ({
      title: `Note ${from + at}: all is well in the north of the region.`,
      area: (from + at) % 4,
    }));
    const { data } = await ask("POST", "/notes/records/bulk", { records });
    await server.query(
      DATABASE,
      `insert into record_vectors (table_id, column_name, record_id, workspace_id, environment, done, digest, vectors)
       select $1, 'meaning', id, home_workspace_id, 'production', 1, md5('${MODEL} ' || title), vectors
         from unnest($2::text[], $3::text[], $4::bytea[]) as r (id, title, vectors), installation`,
      [
        table.id,
        data.map(({ id }: { id: string }) => id),
        records.map(({ title }) => title),
        records.map(() => Buffer.from(unitVector(next).buffer)),
      ],
    );
  }
  const meaning = { name: "meaning", type: "embedding", options: { columns: ["title"] } };
  await ask("PATCH", "/notes", { addColumns: [meaning] });
  for (;;) {
    const [row] = await server.query<{ copied: number }>(
      DATABASE,
      "select count(*)::int as copied from millrace_vectors.chunks",
    );
    if (row?.copied === size) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // Simulates a database in long-term operation.
  await server.query(DATABASE, "vacuum analyze");
}

async function measureSearches(ask: Asker) {
  const next = generator(5);
  const times: number[] = [];
  const found: string[] = [];
  for (let n = 0; n < WARM_UP + QUESTIONS; n += 1) {
    const vector = [...unitVector(next)];
    const filter = n % 2 === 0 ? {} : { filter: { area: { lt: 2 } } };
    const sentAtMs = nowMs();
    const { data } = await ask("POST", "/notes/records/similar", {
      vector,
      ...filter,
      fields: ["title"],
    });
    if (n >= WARM_UP) times.push(nowMs() - sentAtMs);
    found.push(...data.map(({ record }: { record: { id: string } }) => record.id));
  }
  return { times: times.toSorted((one, other) => one - other), found };
}
