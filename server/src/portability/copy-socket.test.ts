import { expect, test } from "vitest";
import { MessageSplitter } from "./copy-socket.ts";

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, kind);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Reproducible pseudo-random numbers. */
function* numbers(seed: number): Generator<number> {
  for (let at = seed; ;) yield (at = (at * 48_271) % 2_147_483_647);
}

test("splits rows and other messages correctly for all chunk boundaries", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const source = numbers(seed);
    const next = (below: number): number => source.next().value % below;
    const sent = Array.from({ length: 1 + next(30) }, () => ({
      kind: "ddddTCZ"[next(7)] ?? "d",
      // Bytes that look like heads, and empty bodies.
      body: Buffer.from(Array.from({ length: next(40) }, () => (next(3) === 0 ? 100 : next(6)))),
    }));
    const bytes = Buffer.concat(sent.map(({ kind, body }) => message(kind, body)));
    const rows: Buffer[] = [];
    const others: Buffer[] = [];
    let part: Buffer[] = [];
    const splitter = new MessageSplitter({
      onRow: (chunk, from, to, isWhole) => {
        part.push(Buffer.from(chunk.subarray(from, to)));
        if (!isWhole) return;
        rows.push(Buffer.concat(part));
        part = [];
      },
      onOther: (other) => others.push(other),
    });
    // One buffer for all chunks, like the socket.
    const read = Buffer.alloc(64);
    for (let at = 0; at < bytes.length;) {
      const size = Math.min(bytes.length - at, 1 + next(next(2) === 0 ? 3 : 64));
      bytes.copy(read, 0, at, at + size);
      splitter.take(read.subarray(0, size));
      at += size;
    }
    expect(part, `seed ${seed}`).toEqual([]);
    const isRow = ({ kind }: { readonly kind: string }): boolean => kind === "d";
    expect(rows, `seed ${seed}`).toEqual(sent.filter(isRow).map(({ body }) => body));
    const rest = sent.filter((one) => !isRow(one)).map(({ kind, body }) => message(kind, body));
    expect(Buffer.concat(others), `seed ${seed}`).toEqual(Buffer.concat(rest));
  }
});
