import type { FuzzResult } from "./run.ts";
import { SECRET_MARK } from "./verdict.ts";
import type { Target } from "./world.ts";

const LEVEL_ERROR = 50;
const EXAMPLE_CHARACTERS_MAX = 900;
const PAGES_MAX = 200;

/** The checks after all requests. Faults are added to the ledger; counts are returned. */
export async function lookAfter(
  target: Target,
  result: FuzzResult,
  log: string,
): Promise<string[]> {
  const { ledger } = result;
  const health = await fetch(`${target.origin}/healthz`).catch(() => undefined);
  if (health?.status !== 200) ledger.blame("healthz", `answers ${health?.status}`, "afterwards");
  const lines = lookIntoLog(log, result);
  const missing = await missingEvents(target, result, await quietOperations());
  for (const [requestId, operation] of missing) {
    ledger.blame(operation, "went well and left no event", requestId);
  }
  const parked = await target.sql("select * from parked_events limit 20");
  for (const row of parked) {
    ledger.blame(
      "readers",
      "an event was parked",
      JSON.stringify(row).slice(0, EXAMPLE_CHARACTERS_MAX),
    );
  }
  const jobs = await target.sql(
    "select kind, count(*)::int as count, min(last_error) as error from jobs where failed_at is not null group by kind",
  );
  const audited = await readAudit(result);
  return [
    `${result.recorded.size} acts that went well were looked up in the log, ${missing.length} had left no event`,
    `the audit log was read to its end or for ${audited} events, each once and newest first`,
    `${lines} lines of the product's log were searched for secrets and errors`,
    `jobs that were given up: ${jobs.length === 0 ? "none" : JSON.stringify(jobs)}`,
  ];
}

function lookIntoLog(log: string, { ledger }: FuzzResult): number {
  const lines = log.split("\n");
  for (const line of lines) {
    if (line.includes(SECRET_MARK)) ledger.blame("log", "holds a secret", line);
    if (!line.startsWith('{"level":')) continue;
    const level = Number(/^\{"level":(\d+)/.exec(line)?.[1]);
    if (level < LEVEL_ERROR) continue;
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    const what = `${msg}: ${err?.message ?? ""}`.replaceAll(/\d+|"[^"]*"/g, "…");
    ledger.blame("log", what.slice(0, 200), line.slice(0, 2 * EXAMPLE_CHARACTERS_MAX));
  }
  return lines.length;
}

async function missingEvents(
  { sql }: Target,
  { recorded }: FuzzResult,
  quiet: ReadonlySet<string>,
): Promise<[string, string][]> {
  const rows = await sql(
    "select distinct request_id from events where request_id = any($1::text[])",
    [[...recorded.keys()]],
  );
  const found = new Set(rows.map((row) => row["request_id"]));
  return [...recorded].filter(
    ([requestId, operation]) =>
      !found.has(requestId) && !quiet.has(operation.replace(/_alias\d*$/, "")),
  );
}

/** Operations that may change nothing, and then append no event. */
async function quietOperations(): Promise<ReadonlySet<string>> {
  const { domains } = await import("../../../server/src/app.ts");
  const all = domains.flatMap(({ operations }) => operations);
  return new Set(all.filter(({ allowNoop }) => allowNoop).map(({ id }) => id));
}

/** Reads page by page, like a client. */
async function readAudit({ owner, ledger }: FuzzResult): Promise<number> {
  let after = "";
  let last = "~";
  let count = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { status, body } = await owner(`GET /api/v1/audit?limit=200${after}`);
    if (status !== 200) {
      ledger.blame("audit.query", `the log can't be read: ${status}`, after);
      return count;
    }
    const { data, pagination } = body as {
      data: { id: string }[];
      pagination: { nextCursor: string | null };
    };
    for (const { id } of data) {
      if (id >= last) ledger.blame("audit.query", "events twice or out of order", `${last} ${id}`);
      last = id;
      count += 1;
    }
    if (pagination.nextCursor === null) break;
    after = `&after=${encodeURIComponent(pagination.nextCursor)}`;
  }
  return count;
}
