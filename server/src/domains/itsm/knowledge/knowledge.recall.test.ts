import { expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import type { Partition } from "#kernel/db/database.ts";
import { cosineSimilarity } from "#kernel/embedding/vector.ts";
import { newId } from "#kernel/schema/id.ts";
import * as store from "./store.ts";
import { libraryVectors, textOf } from "./testing/library-vectors.ts";
import { LIBRARY } from "./testing/library.ts";
import { saveVectors } from "./search/vector-store.ts";

/** Semantic search must find articles for questions that share no words with them. */
const SEARCHED = LIBRARY.flatMap(({ question, title }) => (question ? [{ question, title }] : []));
const RECALL_LEAST = 0.85;
/** Stored vectors use a byte per number, which changes their direction by less than this. */
const LIKENESS_OF_KEPT = 0.999;

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const here: Partition = { workspace: world.home, environment: "production" };

test("no question shares a word stem with its article", async () => {
  expect([LIBRARY.length, SEARCHED.length]).toEqual([80, 40]);
  const shared = [];
  for (const { question, title, body } of LIBRARY) {
    if (question === undefined) continue;
    const [row] = await world.sql(
      `select array(select unnest(tsvector_to_array(to_tsvector('english', $1)))
                    intersect select unnest(tsvector_to_array(to_tsvector('english', $2)))) as words`,
      [question, `${title} ${body}`],
    );
    if (row.words.length > 0) shared.push({ title, words: row.words });
  }
  expect(shared).toEqual([]);
});

test("the stored vectors of the library are those that the model computes", async () => {
  const vectors = await libraryVectors();
  for (const index of [0, LIBRARY.length - 1]) {
    const [article, kept] = [LIBRARY[index], vectors[index]];
    if (!article || !kept) throw new Error("Each article has a vector.");
    const made = await world.kernel.embeddings.embed("test", await textOf(article));
    expect(cosineSimilarity(made, kept)).toBeGreaterThan(LIKENESS_OF_KEPT);
  }
});

test("questions find their article among 80 in the first three, by meaning", async () => {
  const ids = await shelve();
  // A sample is enough because the questions don't use words from their articles.
  const byWords = await recall(SEARCHED.slice(0, 4));
  const vectors = await libraryVectors();
  await world.kernel.db.write(here, async ({ tx }) => {
    for (const [index, id] of ids.entries()) {
      await saveVectors(tx, { kind: "article", id }, vectors.slice(index, index + 1));
    }
  });
  const both = await recall(SEARCHED.filter((_, index) => index % tries(2, 1) === 0));
  expect(both.missed, `recall@3 of ${both.share}`).toSatisfy(() => both.share >= RECALL_LEAST);
  expect(byWords.share).toBeLessThan(both.share);
}, 60_000);

/** Inserts the library as published articles without events, because events would trigger embedding. */
async function shelve(): Promise<readonly string[]> {
  const now = new Date();
  return world.kernel.db.write(here, async ({ tx }) => {
    const ids: string[] = [];
    for (const [index, { title, body }] of LIBRARY.entries()) {
      const about = { no: index + 1, number: `KB${index}`, createdBy: "usr_1", authorId: "usr_1" };
      const texts = { title, body, summary: "", tags: [], category: null };
      const state = {
        state: "published",
        visibility: "everyone",
        language: "en",
        version: 1,
      } as const;
      const times = { publishedAt: now.toISOString(), reviewDueAt: null, reviewerId: null };
      const id = newId("kb", now.getTime());
      const article = { id, ...about, ...texts, ...state, ...times };
      await store.insert(tx, article, { plain: body, now });
      ids.push(id);
    }
    return ids;
  });
}

/** The other tests use another environment without the library. */
const staged: Ask = (route, body) => owner(route, body, { "x-environment": "staging" });

async function publish(draft: { readonly title: string; readonly body: string }) {
  const { body } = await staged("POST /api/v1/knowledge", draft);
  await staged(`POST /api/v1/knowledge/${body.data.id}/publish`);
  return body.data.id as string;
}

async function hits(q: string): Promise<any[]> {
  const { body } = await staged(`GET /api/v1/knowledge/search?q=${encodeURIComponent(q)}`);
  return body.data;
}

/** Waits for an article's vectors. Polling by search would embed the question again. */
const embedded = (id: string) =>
  until(async () => {
    const rows = await world.sql("select from text_embeddings where thing_id = $1", [id]);
    return rows.length > 0;
  });

/** The ids of similar articles in the current index. */
async function near(q: string): Promise<string[]> {
  return (await hits(q)).filter((hit) => hit.matchedBy.includes("meaning")).map(({ id }) => id);
}

test("search finds only published articles and uses the current content", async () => {
  const id = await publish({ title: "Espresso machine", body: "Descale it with vinegar weekly." });
  await embedded(id);
  await until(async () => (await near("how to clean a coffee maker")).includes(id));
  const [hit] = await hits("how to clean a coffee maker");
  expect(hit).toMatchObject({
    id,
    matchedBy: ["meaning"],
    snippet: "Descale it with vinegar weekly.",
  });
  expect(await hits("quantum chromodynamics lecture")).toEqual([]);
  await staged(`PATCH /api/v1/knowledge/${id}`, {
    title: "Elevator",
    body: "Press the alarm and wait for the technician.",
  });
  await until(async () => (await near("I am stuck in the lift")).includes(id));
  expect(await near("how to clean a coffee maker")).toEqual([]);
  await staged(`POST /api/v1/knowledge/${id}/retire`);
  expect(await hits("I am stuck in the lift")).toEqual([]);
  await until(async () => {
    const rows = await world.sql("select vector from text_embeddings where thing_id = $1", [id]);
    return rows.length === 1 && rows[0].vector.length === 0;
  });
});

test("finds long articles by chunk and shows the matching chunk", async () => {
  // Two complete chunks with eight words per sentence, followed by another topic.
  const padding = Array.from({ length: 45 }, () => "The budget of the next quarter is planned.");
  const needle =
    "Bees in the courtyard belong to the keeper on the third floor, who opens the hives on Mondays.";
  const id = await publish({ title: "Handbook", body: [...padding, needle].join("\n\n") });
  await embedded(id);
  await until(async () =>
    (await near("who owns the insects outside that make honey?")).includes(id),
  );
  const [hit] = await hits("who owns the insects outside that make honey?");
  expect(hit.snippet).toContain("Bees in the courtyard");
});

test("suggestions for an incident are similar incidents, known errors and articles", async () => {
  const incident = async (title: string, description: string) =>
    (await staged("POST /api/v1/itsm/incidents", { title, description })).body.data;
  const article = await publish({
    title: "Mail is stuck in the outbox",
    body: "Work online again.",
  });
  const solved = await incident("Outlook does not send", "Messages stay in the outgoing folder.");
  const open = await incident("Outlook sends nothing", "Messages stay in the outgoing folder.");
  await staged(`POST /api/v1/itsm/incidents/${solved.id}/resolve`, { resolution: "Online again" });
  const problem = (
    await staged("POST /api/v1/itsm/problems", {
      title: "E-mail is not delivered",
      description: "The relay drops messages.",
    })
  ).body.data;
  await staged(`POST /api/v1/itsm/problems/${problem.id}/investigate`);
  await staged(`POST /api/v1/itsm/problems/${problem.id}/declare_known_error`, {
    rootCause: "A full queue",
    workaround: "Send it again.",
  });
  await until(async () => {
    const rows = await world.sql(
      `select from jobs where key = any($1)
       union all select from text_embeddings where thing_id = any($1)`,
      [[solved.id, problem.id]],
    );
    return rows.length === 2;
  });
  world.clock.advance(61_000);
  const asked = await incident("E-mails are not being sent", "My messages never leave the outbox.");
  const suggestions = async (by: Ask = staged) =>
    (await by(`GET /api/v1/itsm/incidents/${asked.number}/suggestions`)).body.data;
  const all = await until(async () => {
    const found = await suggestions();
    const counts = [found.articles, found.similarIncidents, found.knownErrors];
    return counts.every(({ length }) => length > 0) && found;
  });
  expect(all.articles[0]).toMatchObject({ id: article, score: expect.any(Number) });
  expect(all.similarIncidents).toEqual([
    {
      kind: "incident",
      id: solved.id,
      number: solved.number,
      title: solved.title,
      state: "resolved",
      score: expect.any(Number),
    },
  ]);
  expect(all.knownErrors).toMatchObject([
    { kind: "problem", id: problem.id, state: "known_error", workaround: "Send it again." },
  ]);
  expect(JSON.stringify(all)).not.toContain(open.id);

  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Only incidents",
    permissions: ["incidents:read"],
  });
  const reader = await world.member([role.data.id]);
  const less = await suggestions((route) =>
    reader(route, undefined, { "x-environment": "staging" }),
  );
  expect(less).toMatchObject({
    articles: [],
    knownErrors: [],
    similarIncidents: [{ id: solved.id }],
  });

  await staged(`POST /api/v1/itsm/incidents/${solved.id}/reopen`, { reason: "It came back" });
  expect((await suggestions()).similarIncidents).toEqual([]);
});

test("full-text search must do while the model is gone", async () => {
  const id = await publish({ title: "Aquarium", body: "Feed the fish on Fridays." });
  await embedded(id);
  await until(async () => (await near("who gives food to aquatic pets?")).includes(id));
  const { pid } = world.kernel.embeddings;
  const question = hits("aquarium fish today");
  // Kills the model process shortly before or during the question.
  process.kill(Number(pid), "SIGKILL");
  expect((await question).map((hit) => hit.id)).toContain(id);
  await until(async () => (await near("food for animals under water")).includes(id));
});

async function recall(searched: typeof SEARCHED) {
  const missed: unknown[] = [];
  for (const { question, title } of searched) {
    const q = encodeURIComponent(question);
    const { body } = await owner(`GET /api/v1/knowledge/search?q=${q}&limit=3`);
    const titles = body.data.map((hit: { readonly title: string }) => hit.title);
    if (!titles.includes(title)) missed.push({ question, title, titles });
  }
  return { share: 1 - missed.length / searched.length, missed };
}
