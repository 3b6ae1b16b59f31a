import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);
const reader = await world.member(["requester"]);
type Answered = { readonly headers: Record<string, string> };
const undoOf = (answer: Answered, more: object = {}) =>
  agent("POST /api/v1/undo", { correlationId: answer.headers["x-correlation-id"], ...more });

const PATH = "/api/v1/knowledge";

async function publish(title: string): Promise<any> {
  const { body } = await agent(`POST ${PATH}`, { title, body: "Quit it, and start it again." });
  return (await agent(`POST ${PATH}/${body.data.id}/publish`)).body.data;
}

test("restores a retired article as published and searchable, and it can be retired again", async () => {
  const article = await publish("Reset the plotter");
  const path = `${PATH}/${article.id}`;
  const retired = await agent(`POST ${path}/retire`);
  expect([retired.events, retired.headers["x-undoable"]]).toEqual([["article.retired"], "true"]);
  expect((await reader(`GET ${path}`)).status).toBe(404);
  const dry = await undoOf(retired, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.changes]).toEqual([
    200,
    [],
    [{ resource: { type: "article", id: article.id }, act: "changed", fields: ["state"] }],
  ]);
  const back = await undoOf(retired);
  expect([back.status, back.events]).toEqual([200, ["article.reinstated"]]);
  const { state, publishedAt, version } = article;
  expect((await reader(`GET ${path}`)).body.data).toMatchObject({ state, publishedAt, version });
  const found = await reader(`GET ${PATH}/search?q=plotter`);
  expect(found.body.data.map(({ id }: any) => id)).toEqual([article.id]);
  const again = await undoOf(back);
  expect([again.status, again.events]).toEqual([200, ["article.retired"]]);
  expect((await undoOf(retired)).events).toEqual(["article.reinstated"]);
});

test("an article that became a draft since stays a draft, with a conflict on its state", async () => {
  const article = await publish("Reset the scanner");
  const path = `${PATH}/${article.id}`;
  const retired = await agent(`POST ${path}/retire`);
  await agent(`POST ${path}/versions/1/restore`);
  const refused = await undoOf(retired);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/article/${article.id}/state`, message: "was changed later" }],
  ]);
  const skipped = await undoOf(retired, { onConflict: "skip" });
  expect([skipped.status, skipped.events, skipped.body.data.things]).toEqual([200, [], 0]);
  expect((await agent(`GET ${path}`)).body.data.state).toBe("draft");
});

test("unpublishes an article to draft or review, and it can be published again", async () => {
  for (const before of ["draft", "in_review"]) {
    const input = { title: `Clean the ${before} lens`, body: "With a dry cloth." };
    const { id } = (await agent(`POST ${PATH}`, input)).body.data;
    const path = `${PATH}/${id}`;
    if (before === "in_review") await agent(`POST ${path}/review`);
    const published = await agent(`POST ${path}/publish`);
    expect(published.headers["x-undoable"]).toBe("true");
    expect((await reader(`GET ${path}`)).status).toBe(200);
    const back = await undoOf(published);
    expect([back.status, back.events]).toEqual([200, ["article.withdrawn"]]);
    expect((await reader(`GET ${path}`)).status).toBe(404);
    expect((await agent(`GET ${path}`)).body.data).toMatchObject({
      state: before,
      publishedAt: null,
    });
    const again = await undoOf(back);
    expect([again.status, again.events]).toEqual([200, ["article.published"]]);
    await agent(`POST ${path}/retire`);
    const refused = await undoOf(again);
    expect([refused.status, refused.events, refused.body.errors]).toEqual([
      409,
      [],
      [{ path: `/article/${id}/state`, message: "was changed later" }],
    ]);
  }
});
