import { describe, expect, test } from "vitest";
import { queryRows } from "#kernel/db/statement.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/knowledge";
/** SQL for all published articles, with or without a word. */
const ASK_FOR_ALL = `
  select article_id from search_articles(
    '!okapi', 'okapi', '{}', '{everyone,agents}', 'en', 1000)`;

const world = await useWorld();
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);

async function published(draft: object, by: Ask = agent) {
  const made = await by(`POST ${PATH}`, {
    title: "Printer offline",
    body: "Turn it on.",
    ...draft,
  });
  return (await by(`POST ${PATH}/${made.body.data.id}/publish`)).body.data;
}

async function found(by: Ask, q: string): Promise<any[]> {
  return (await by(`GET ${PATH}/search?q=${encodeURIComponent(q)}`)).body.data;
}

describe("search by words", () => {
  test("ranks titles first, marks matching words and escapes the rest", async () => {
    const body = await published({
      title: "Network",
      body: "The **gizmo** <img src=x onerror=alert(1)> needs a restart & a nap.",
    });
    const title = await published({ title: "Gizmo", body: "See the manual." });
    const hits = await found(member, "gizmos");
    expect(hits.map(({ id }) => id)).toEqual([title.id, body.id]);
    expect(hits[1]).toEqual({
      id: body.id,
      number: body.number,
      title: "Network",
      summary: "",
      tags: [],
      category: null,
      publishedAt: body.publishedAt,
      score: expect.any(Number),
      matchedBy: ["text"],
      snippet: expect.stringContaining("<mark>gizmo</mark> &#60;img src=x onerror=alert(1)&#62;"),
    });
    expect(hits[0].score).toBeGreaterThan(hits[1].score);
    expect(hits[0].score).toBeLessThanOrEqual(1);
  });

  test("uses the language rules of each article", async () => {
    const german = await published({
      title: "Papierstau",
      body: "Die Drucker streiken bei gestauten Papieren.",
      language: "de",
    });
    expect(german.language).toBe("de");
    for (const q of ["Drucker streikt", "gestautes Papier", "druckern"]) {
      expect((await found(member, q)).map(({ id }) => id)).toContain(german.id);
    }
    const [hit] = await found(member, "gestautes Papier");
    expect(hit.snippet).toContain("<mark>gestauten</mark> <mark>Papieren</mark>");
    // Under English rules these are different words.
    const english = await published({ title: "Quokka", body: "gestauten Quokkas", language: "en" });
    const ids = async (q: string) => (await found(member, q)).map(({ id }) => id);
    expect(await ids("quokka")).toEqual([english.id]);
    expect(await ids("gestautes")).toEqual([german.id]);
  });

  test("accepts quotes, exclusions and any text", async () => {
    const both = await published({ title: "Quagga", body: "quagga stripes fade" });
    const other = await published({ title: "Quagga too", body: "stripes of the quagga" });
    const ids = async (q: string) => (await found(agent, q)).map(({ id }) => id).toSorted();
    expect(await ids("quagga")).toEqual([both.id, other.id].toSorted());
    expect(await ids('"quagga stripes"')).toEqual([both.id]);
    expect(await ids("quagga -fade")).toEqual([other.id]);
    expect(await ids("how do I brush a quagga")).toEqual([both.id, other.id].toSorted());
    for (const q of ["the", "' & | ! :* <->", '"', "-", "(((", "\\", "%", "😀"]) {
      expect(await agent(`GET ${PATH}/search?q=${encodeURIComponent(q)}`)).toMatchObject({
        status: 200,
        body: { data: [] },
      });
    }
  });

  test("gives the same results for GET and POST", async () => {
    const { id } = await published({ title: "Axolotl" });
    const limit = 200;
    for (const answer of [
      await member(`GET ${PATH}/search?q=axolotl&limit=${limit}`),
      await member(`POST ${PATH}/search`, { q: "axolotl", limit }),
    ]) {
      expect(answer).toMatchObject({
        status: 200,
        body: { data: [{ id, matchedBy: ["text"] }], pagination: { limit } },
        events: [],
      });
    }
  });

  test("never finds articles of another workspace or environment", async () => {
    const elsewhere = await world.workspace("elsewhere");
    const other = await world.member(["agent"], elsewhere);
    const theirs = await published({ title: "Okapi" }, other);
    const staged: Ask = (route, body) => agent(route, body, { "x-environment": "staging" });
    const inStaging = await published({ title: "Okapi" }, staged);
    expect(await found(agent, "okapi")).toEqual([]);
    expect((await found(other, "okapi")).map(({ id }) => id)).toEqual([theirs.id]);
    expect((await found(staged, "okapi")).map(({ id }) => id)).toEqual([inStaging.id]);
    // The function with owner rights does not find them either.
    const seen = await world.kernel.db.read(
      { workspace: elsewhere.key, environment: "production" },
      (tx) => queryRows(tx, ASK_FOR_ALL, []),
    );
    expect(seen).toEqual([{ article_id: theirs.id }]);
    const [row] = await world.sql(
      `select has_function_privilege('millrace_app', oid, 'execute') as app,
              has_function_privilege('millrace_system', oid, 'execute') as system,
              has_function_privilege('public', oid, 'execute') as everyone
         from pg_proc where proname = 'search_articles'`,
    );
    expect(row).toEqual({ app: true, system: false, everyone: false });
  });

  test("does not call the model for an empty index", () => {
    expect(world.kernel.embeddings.pid).toBeUndefined();
  });
});
