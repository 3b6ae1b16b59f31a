import { expect, test } from "vitest";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { copyIn } from "../copy.ts";
import { useArchiveWorlds } from "../testing/archive-worlds.ts";
import { assertRowForm } from "./row-lines.ts";

const { target, ownerOf } = await useArchiveWorlds();
const PIECES = ["a", "\t", "\n", "\\", "\\.", "\\N", "\\x41", ".", "\r", "\\\\", "é", "\\t"];
const ROUNDS = 400;

/** Numbers that look random, and are the same in each run. */
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

test("rows that are accepted are split by PostgreSQL as they are here, value by value", async () => {
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
      // Written out again, a value is one that means the same here.
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

const ESCAPED: Readonly<Record<string, string>> = { t: "\t", "\\": "\\", x41: "A" };

/** A value as PostgreSQL's manual says that it is read; a backslash before any other character is none. */
function unescape(value: string): string | null {
  if (value === "\\N") return null;
  return value.replaceAll(/\\(x41|[^])/g, (_, one: string) => ESCAPED[one] ?? one);
}
