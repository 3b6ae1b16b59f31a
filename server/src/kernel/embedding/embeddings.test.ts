import { afterAll, describe, expect, test } from "vitest";
import { until } from "../testing/world.ts";
import { Embeddings } from "./embeddings.ts";
import { encodeVector, DIMENSIONS, cosineSimilarity, decodeVector } from "./vector.ts";

/** A long timeout for busy machines. */
const embeddings = new Embeddings({ timeLimitMs: 60_000, waitingMax: 4, waitingPerKeyMax: 3 });
afterAll(() => embeddings.close());

describe("embeddings", () => {
  test("start no process before the first text", () => {
    expect(embeddings.pid).toBeUndefined();
  });

  test("have length 1, and similar texts have similar vectors", async () => {
    const [mail, letter, bread] = await Promise.all(
      ["The e-mail does not arrive", "No message was delivered", "How to bake bread"].map((text) =>
        embeddings.embed("a", text),
      ),
    );
    if (!mail || !letter || !bread) throw new Error("Three texts have three vectors.");
    expect(mail).toHaveLength(DIMENSIONS);
    expect(cosineSimilarity(mail, mail)).toBeCloseTo(1, 5);
    expect(cosineSimilarity(mail, letter)).toBeGreaterThan(cosineSimilarity(mail, bread) + 0.2);
    const kept = new Float32Array(2 * DIMENSIONS);
    decodeVector(kept, DIMENSIONS, encodeVector(mail));
    expect(kept.subarray(DIMENSIONS)).toEqual(mail);
    expect(cosineSimilarity(mail, kept, DIMENSIONS)).toBeCloseTo(1, 5);
  });

  test("accept any text and ignore the part beyond the model's limit", async () => {
    const texts = ["", "\ud800", "😀".repeat(5_000)];
    const vectors = [];
    for (const text of texts) vectors.push(await embeddings.embed("a", text));
    expect(vectors.map(({ length }) => length)).toEqual([DIMENSIONS, DIMENSIONS, DIMENSIONS]);
  });

  test("reject texts beyond the queue's limits", async () => {
    const all = await Promise.allSettled(
      ["a", "a", "a", "a", "a", "b", "b"].map((key) => embeddings.embed(key, "text")),
    );
    // One text runs. Three waiting texts may share a key, and four may wait in total.
    expect(all.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(all[4]).toMatchObject({ reason: { code: "busy" } });
  });

  test("continue in a new process if the old one dies, even during a text", async () => {
    const { pid } = embeddings;
    const killed = embeddings.embed("a", "text").catch((error: unknown) => error);
    process.kill(Number(pid), "SIGKILL");
    expect(await killed).toMatchObject({ code: "ended" });
    expect(await embeddings.embed("a", "text")).toHaveLength(DIMENSIONS);
    expect(embeddings.pid).not.toBe(pid);
  });

  test("are rejected if their process ends before it is ready", async () => {
    const own = new Embeddings();
    const refused = own.embed("a", "text").catch((error: unknown) => error);
    process.kill(Number(own.pid), "SIGKILL");
    expect(await refused).toMatchObject({ name: "EmbeddingFailure", code: "ended" });
    await own.close();
  });

  test("are rejected after a timeout and when the server stops", async () => {
    const own = new Embeddings({ timeLimitMs: 1 });
    await expect(own.embed("a", "words ".repeat(500))).rejects.toMatchObject({ code: "timeout" });
    await own.close();
    await expect(own.embed("a", "text")).rejects.toMatchObject({ code: "busy" });
  });

  test("end an idle process", async () => {
    const own = new Embeddings({ idleMs: 1 });
    await own.embed("a", "text");
    await until(async () => own.pid === undefined);
    await own.close();
  });
});
