import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { withCopySocket } from "../copy-socket.ts";
import { copyIn } from "../copy.ts";
import { useArchiveWorlds } from "../testing/archive-worlds.ts";
import { assertRowForm } from "./row-lines.ts";

const { folder, source, target, ownerOf, writeArchive, readIn } = await useArchiveWorlds();
const PIECES = ["a", "\t", "\n", "\\", "\\.", "\\N", "\\x41", ".", "\r", "\\\\", "é", "\\t"];
const ROUNDS = 400;

/** Reproducible pseudo-random numbers. */
function* numbers(seed: number): Generator<number> {
  for (let at = seed; ;) yield (at = (at * 48_271) % 2_147_483_647);
}

function isAccepted(lines: Buffer, rows: number): boolean {
  const packed = { bytes: 0, packed: 0, sha256: "" };
  const head = { kind: "rows", table: "files", columns: ["a", "b"], open: false, rows } as const;
  try {
    assertRowForm({ ...head, columns: [...head.columns], ...packed }, lines);
    return true;
  } catch {
    return false;
  }
}

test("PostgreSQL splits accepted rows into the same values as this code", async () => {
  let taken = 0;
  await withOwnerClient(ownerOf(target), async (client) => {
    await client.query("create temporary table split (n serial, a text, b text)");
    const source = numbers(7);
    const next = (below: number): number => source.next().value % below;
    for (let round = 0; round < ROUNDS; round += 1) {
      const value = () =>
        Array.from({ length: next(4) }, () => PIECES[next(PIECES.length)]).join("");
      const lines = Array.from({ length: 1 + next(3) }, () => `${value()}\t${value()}\n`).join("");
      const rows = lines.split("\n").slice(0, -1);
      if (!isAccepted(Buffer.from(lines), rows.length)) continue;
      const isWhole = rows.every((row) => row.split("\t").length === 2);
      const copied = copyIn(client, "split (a, b)", Buffer.from(lines));
      if (!isWhole) {
        await expect(copied, JSON.stringify(lines)).rejects.toThrow(/column/);
        continue;
      }
      expect(await copied, JSON.stringify(lines)).toBe(rows.length);
      // Written again, a value has the same meaning.
      const found = await client.query<{ a: string | null; b: string | null }>(
        "with gone as (delete from split returning *) select a, b from gone order by n",
      );
      const values = found.rows.map(({ a, b }) => [a, b]);
      expect(values, JSON.stringify(lines)).toEqual(
        rows.map((row) => row.split("\t").map(unescape)),
      );
      taken += 1;
    }
  });
  expect(taken).toBeGreaterThan(ROUNDS / 10);
});

test("user tables may have the names of platform tables with checked values", async () => {
  const ask = await source.member(["owner"], await source.workspace("named"));
  const slugs = ["events", "jobs", "blobs", "oauth_applications"];
  for (const slug of slugs) {
    const columns = [{ name: "title", type: "text" }];
    const made = await ask("POST /api/v1/tables", { name: slug, slug, columns });
    expect(made.body.errors ?? made.status).toBe(201);
    const { status } = await ask(`POST /api/v1/tables/${slug}/records`, { title: "Summer party" });
    expect(status).toBe(201);
  }
  const path = join(folder, "named");
  await writeArchive("named", path);
  const { key } = await readIn(path, "named");
  const schema = schemaOf({ workspace: key, environment: "production" });
  for (const slug of slugs) {
    const rows = await target.sql(`select title from ${pg.escapeIdentifier(schema)}.${slug}`);
    expect(rows, slug).toEqual([{ title: "Summer party" }]);
  }
});

test("a connection encrypted by an environment setting uses the driver's own socket", () => {
  const config = { host: "127.0.0.1" };
  expect(withCopySocket(config)).toHaveProperty("stream");
  vi.stubEnv("PGSSLMODE", "require");
  expect(new pg.Client(config).ssl).toBe(true);
  expect(withCopySocket(config)).toBe(config);
  vi.unstubAllEnvs();
});

const ESCAPED: Readonly<Record<string, string>> = { t: "\t", "\\": "\\", x41: "A" };

/** Parses a value by PostgreSQL's manual. A backslash before any other character is dropped. */
function unescape(value: string): string | null {
  if (value === "\\N") return null;
  return value.replaceAll(/\\(x41|[^])/g, (_, one: string) => ESCAPED[one] ?? one);
}
