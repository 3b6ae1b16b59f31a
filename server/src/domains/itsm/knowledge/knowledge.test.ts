import { describe, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/knowledge";

const world = await useWorld();
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);

async function written(draft: object = {}, by: Ask = agent) {
  const made = await by(`POST ${PATH}`, {
    title: "Printer offline",
    body: "Turn it on.",
    ...draft,
  });
  return made.body.data;
}

async function published(draft: object = {}, by: Ask = agent) {
  const { id } = await written(draft, by);
  return (await by(`POST ${PATH}/${id}/publish`)).body.data;
}

async function found(by: Ask, q: string): Promise<any[]> {
  return (await by(`GET ${PATH}/search?q=${encodeURIComponent(q)}`)).body.data;
}

describe("an article", () => {
  test("supports create, review, publish, update and retire, and emits matching events", async () => {
    const made = await agent(`POST ${PATH}`, {
      title: "Printer offline",
      body: "Turn it **on**.",
      tags: ["print"],
      reviewDueAt: "2030-01-01T02:00:00+02:00",
    });
    expect(made).toMatchObject({ status: 201, events: ["article.created"] });
    const { id, number } = made.body.data;
    expect(made.headers["location"]).toBe(`${PATH}/${id}`);
    expect(made.body.data).toMatchObject({
      number: expect.stringMatching(/^KB\d{7}$/),
      state: "draft",
      version: 1,
      authorId: agent.userId,
      createdBy: agent.userId,
      summary: "",
      category: null,
      visibility: "everyone",
      publishedAt: null,
      reviewDueAt: "2030-01-01T00:00:00.000Z",
      helpfulCount: 0,
      unhelpfulCount: 0,
    });
    const review = await agent(`POST ${PATH}/${number}/review`);
    expect(review).toMatchObject({
      events: ["article.submitted_for_review"],
      body: { data: { state: "in_review" } },
    });
    const out = await agent(`POST ${PATH}/${id}/publish`);
    expect(out).toMatchObject({
      events: ["article.published"],
      body: { data: { state: "published" } },
    });
    expect(out.body.data.publishedAt).not.toBeNull();

    const edited = await agent(`PATCH ${PATH}/${id}`, { body: "Turn it off and on." });
    expect(edited).toMatchObject({
      events: ["article.updated"],
      headers: { etag: '"4"' },
      body: { data: { state: "published", version: 2, body: "Turn it off and on." } },
    });
    const [told] = (await world.sql(
      "select data from events where type = 'article.updated'",
    )) as any[];
    expect(told.data).toMatchObject({
      before: { id, body: "Turn it **on**.", version: 1 },
      after: { id, body: "Turn it off and on.", version: 2 },
      changes: ["version", "body"],
    });
    const tagged = await agent(`PATCH ${PATH}/${id}`, { tags: [], category: "Devices" });
    expect(tagged).toMatchObject({ events: ["article.updated"], body: { data: { version: 2 } } });
    const same = await agent(`PATCH ${PATH}/${id}`, {
      category: "Devices",
      reviewDueAt: "2030-01-01T00:00:00Z",
    });
    expect(same).toMatchObject({ status: 200, events: [], headers: { etag: '"5"' } });

    const retired = await agent(`POST ${PATH}/${id}/retire`);
    expect(retired).toMatchObject({
      events: ["article.retired"],
      body: { data: { state: "retired" } },
    });
    expect(await agent(`PATCH ${PATH}/${id}`, { title: "Other" })).toMatchObject({
      status: 409,
      body: { code: "article_wrong_state", state: "retired", allowed: ["restore", "reinstate"] },
      events: [],
    });
    const again = await agent(`POST ${PATH}/${id}/reinstate`);
    expect(again).toMatchObject({ status: 200, events: ["article.reinstated"] });
    const { publishedAt, version } = retired.body.data;
    expect(again.body.data).toMatchObject({ state: "published", publishedAt, version });
    expect(await agent(`POST ${PATH}/${id}/reinstate`)).toMatchObject({
      status: 409,
      body: { code: "article_wrong_state", allowed: ["retire", "withdraw"] },
      events: [],
    });
  });

  test("allows only the transitions of its state machine", async () => {
    const { id } = await written();
    const refused = { status: 409, body: { code: "article_wrong_state" }, events: [] };
    expect(await agent(`POST ${PATH}/${id}/retire`)).toMatchObject({
      ...refused,
      body: { state: "draft", allowed: ["submit_review", "publish"] },
    });
    await agent(`POST ${PATH}/${id}/publish`);
    expect(await agent(`POST ${PATH}/${id}/publish`)).toMatchObject(refused);
    expect(await agent(`POST ${PATH}/${id}/review`)).toMatchObject(refused);
    await agent(`POST ${PATH}/${id}/retire`);
    expect(await agent(`POST ${PATH}/${id}/publish`)).toMatchObject(refused);
  });

  test("has a review date with a four-digit year", async () => {
    const { id } = await written();
    const last = { reviewDueAt: "9999-12-31T23:59:59-14:00" };
    const refused = { status: 422, body: { errors: [{ path: "/reviewDueAt" }] }, events: [] };
    expect(await agent(`PATCH ${PATH}/${id}`, last)).toMatchObject(refused);
    const draft = { title: "Late", body: "Very late.", ...last };
    expect(await agent(`POST ${PATH}`, draft)).toMatchObject(refused);
  });

  test("has an author who is a member", async () => {
    const stranger = "usr_00000000000000000000000000";
    const draft = { title: "A", body: "B", authorId: stranger };
    expect(await agent(`POST ${PATH}`, draft)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/authorId" }] },
    });
    expect(await written({ authorId: member.userId })).toMatchObject({ authorId: member.userId });
  });

  test("keeps its versions, and restores them", async () => {
    const { id } = await published({ title: "One", body: "First" });
    await agent(`PATCH ${PATH}/${id}`, { title: "Two", body: "Second", tags: ["new"] });
    const restored = await agent(`POST ${PATH}/${id}/versions/1/restore`);
    expect(restored).toMatchObject({
      status: 200,
      events: ["article.restored"],
      body: {
        data: { title: "One", body: "First", version: 3, state: "published", tags: ["new"] },
      },
    });
    const { body } = await agent(`GET ${PATH}/${id}/versions?limit=2`);
    expect(body.data.map((one: any) => [one.version, one.title])).toEqual([
      [3, "One"],
      [2, "Two"],
    ]);
    const rest = await agent(
      `GET ${PATH}/${id}/versions?limit=2&after=${encodeURIComponent(body.pagination.nextCursor)}`,
    );
    expect(rest.body).toMatchObject({
      data: [{ version: 1, body: "First" }],
      pagination: { hasMore: false },
    });
    expect((await agent(`GET ${PATH}/${id}/versions/2`)).body.data).toMatchObject({
      body: "Second",
    });
    expect(await agent(`GET ${PATH}/${id}/versions/4`)).toMatchObject({ status: 404 });
    expect(await agent(`POST ${PATH}/${id}/versions/4/restore`)).toMatchObject({
      status: 404,
      events: [],
    });
    await agent(`POST ${PATH}/${id}/retire`);
    const back = await agent(`POST ${PATH}/${id}/versions/2/restore`);
    expect(back.body.data).toMatchObject({ state: "draft", title: "Two", version: 4 });
    const here = { workspace: world.home, environment: "production" as const };
    const rewrite = world.kernel.db.write(here, (session) =>
      session.send("update article_versions set body = $1", ["Never said"]),
    );
    await expect(rewrite).rejects.toThrow("permission denied");
  });

  test("is rendered as safe HTML on request", async () => {
    const { id } = await written({
      body: "# Hi\n<script>alert(1)</script> [a](javascript:alert(1))",
    });
    const { body } = await agent(`GET ${PATH}/${id}?format=html`);
    expect(body.data.html).toBe(
      "<h1>Hi</h1>\n<p>&lt;script&gt;alert(1)&lt;/script&gt; [a](javascript:alert(1))</p>\n",
    );
    expect((await agent(`GET ${PATH}/${id}`)).body.data).not.toHaveProperty("html");
  });

  test("can have the maximum size", async () => {
    const words = Array.from({ length: 25_000 }, (_, index) => `wörd${index}`).join(" ");
    const body = `${words} `.padEnd(200_000, "ü").slice(0, 200_000);
    const { id } = await published({ title: "Long", body });
    const { body: hits } = await agent(`GET ${PATH}/search?q=w%C3%B6rd4711`);
    expect(hits.data[0]).toMatchObject({ id });
    expect(await agent(`PATCH ${PATH}/${id}`, { title: "Lengthy" })).toMatchObject({ status: 200 });
    const { body: shown } = await agent(`GET ${PATH}/${id}?format=html`);
    expect(shown.data.html).toMatch(/^<p>wörd0 wörd1 /);
    expect(await agent(`POST ${PATH}`, { title: "Longer", body: `${body}x` })).toMatchObject({
      status: 422,
    });
  });
});

describe("a caller who cannot write articles", () => {
  test("sees published public articles in every list and search", async () => {
    const everyone = await published({ title: "Zebra crossing" });
    const internal = await published({ title: "Zebra stable", visibility: "agents" });
    const draft = await written({ title: "Zebra draft" });
    const listed = async (by: Ask) =>
      (await by(`GET ${PATH}?q=zebra&sort=no`)).body.data.map(({ id }: any) => id);
    expect(await listed(agent)).toEqual([everyone.id, internal.id, draft.id]);
    expect(await listed(member)).toEqual([everyone.id]);
    expect((await found(agent, "zebra")).map(({ id }) => id).toSorted()).toEqual(
      [everyone.id, internal.id].toSorted(),
    );
    expect((await found(member, "zebra")).map(({ id }) => id)).toEqual([everyone.id]);
    for (const { id } of [internal, draft]) {
      expect(await member(`GET ${PATH}/${id}`)).toMatchObject({ status: 404 });
      expect(await member(`POST ${PATH}/${id}/feedback`, { helpful: true })).toMatchObject({
        status: 404,
        events: [],
      });
    }
    expect(await member(`GET ${PATH}/${everyone.number}`)).toMatchObject({ status: 200 });
  });

  test("reads only events of public articles, also if an article was for agents before", async () => {
    const viewer = await world.member(["viewer"]);
    const shown = await published({ title: "Yak crossing" });
    const internal = await published({ title: "Yak stable", visibility: "agents" });
    const change = { visibility: "everyone" };
    const opened = await agent(`PATCH ${PATH}/${internal.id}`, change);
    expect(opened).toMatchObject({ status: 200, events: ["article.updated"] });
    await agent(`PATCH ${PATH}/${internal.id}`, { title: "Yak barn" });
    await world.settled();
    const listed = async (by: Ask) => {
      const { body } = await by("GET /api/v1/events/topics/article/events?limit=200");
      return body.data
        .filter(({ resource }: any) => [shown.id, internal.id].includes(resource.id))
        .map(({ type, resource }: any) => [type, resource.displayName]);
    };
    expect(await listed(viewer)).toEqual([
      ["article.published", "Yak crossing"],
      ["article.updated", "Yak barn"],
    ]);
    expect(await listed(agent)).toHaveLength(6);
  });

  test("gives feedback once", async () => {
    const { id, number } = await published();
    const said = await member(`POST ${PATH}/${id}/feedback`, {
      helpful: false,
      comment: "No luck",
    });
    expect(said).toMatchObject({ status: 200, events: ["article.feedback_given"] });
    await agent(`POST ${PATH}/${number}/feedback`, { helpful: true });
    expect((await agent(`GET ${PATH}/${id}`)).body.data).toMatchObject({
      helpfulCount: 1,
      unhelpfulCount: 1,
    });
    await member(`POST ${PATH}/${id}/feedback`, { helpful: true });
    const { body } = await agent(`GET ${PATH}/${id}`);
    expect(body.data).toMatchObject({ helpfulCount: 2, unhelpfulCount: 0 });
    const all = (await agent(`GET ${PATH}/${id}/feedback`)).body.data;
    expect(all).toHaveLength(2);
    expect(all).toContainEqual(
      expect.objectContaining({ articleId: id, userId: member.userId, helpful: true, comment: "" }),
    );
    expect(await member(`GET ${PATH}/${id}/feedback`)).toMatchObject({ status: 403 });
  });
});

describe("a list", () => {
  test("filters by state, tag and condition", async () => {
    const one = await published({ title: "Listed one", tags: ["rare", "red"] });
    const two = await written({ title: "Listed two", tags: ["rare"], category: "Odd" });
    const listed = async (query: string) =>
      (await agent(`GET ${PATH}?sort=no&${query}`)).body.data.map(({ id }: any) => id);
    expect(await listed("tag=rare")).toEqual([one.id, two.id]);
    expect(await listed("tag=rare&state=draft")).toEqual([two.id]);
    expect(await listed(`filter=${encodeURIComponent('{"category":"Odd"}')}`)).toEqual([two.id]);
    const [entry] = (await agent(`GET ${PATH}?tag=red`)).body.data;
    expect(entry).not.toHaveProperty("body");
  });
});

test("a pack creates articles, updates unedited articles, and retires them on uninstall", async () => {
  const owner = await world.member(["owner"]);
  const install = (version: string, body: string) =>
    owner("POST /api/v1/sdk/packs/install", {
      id: "@acme/articles",
      name: "Articles",
      version,
      resources: { articles: [{ key: "vpn", title: "VPN", body, tags: ["net"] }] },
    });
  const first = await install("1.0.0", "Connect.");
  expect(first).toMatchObject({
    status: 201,
    events: ["article.created", "article.published", "pack.installed"],
  });
  const { id } = first.body.data.made[0];
  const article = async () => (await owner(`GET /api/v1/knowledge/${id}`)).body.data;
  expect(await article()).toMatchObject({ state: "published", version: 1, tags: ["net"] });
  expect((await install("1.1.0", "Connect again.")).events).toContain("article.updated");
  expect(await article()).toMatchObject({ state: "published", version: 2, body: "Connect again." });
  const gone = await owner(`DELETE /api/v1/sdk/packs/${encodeURIComponent("@acme/articles")}`);
  expect(gone.events).toContain("article.retired");
  expect(await article()).toMatchObject({ state: "retired" });
});
