import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/knowledge";

const world = await useWorld({ work: true });
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);

test("searches are counted by words without addresses and numbers, and visible to authors", async () => {
  const nothing = await member(`POST ${PATH}/searches`, { q: " VPN  on a train ", found: 0 });
  expect(nothing).toMatchObject({
    status: 200,
    events: ["article_search.noted"],
    body: { data: { words: "vpn on a train" } },
  });
  await member(`POST ${PATH}/searches`, { q: "vpn on a TRAIN", found: 2 });
  await member(`POST ${PATH}/searches`, { q: "bill ada@example.com 0170 123 4567", found: 0 });
  expect(await member(`POST ${PATH}/searches`, { q: "4711 0815", found: 0 })).toMatchObject({
    status: 422,
    events: [],
  });
  const { body } = await agent(`POST ${PATH}`, { title: "The VPN", body: "Turn it on." });
  const { id } = body.data;
  // An invisible draft cannot count as opened.
  const draft = { q: "the vpn", found: 1, openedId: id };
  expect(await member(`POST ${PATH}/searches`, draft)).toMatchObject({ status: 404, events: [] });
  await agent(`POST ${PATH}/${id}/publish`);
  expect(await member(`POST ${PATH}/searches`, draft)).toMatchObject({
    status: 200,
    events: ["article_search.noted"],
  });
  expect((await agent(`GET ${PATH}/${id}`)).body.data).toMatchObject({ openedCount: 1 });

  expect(await member(`GET ${PATH}/searches`)).toMatchObject({ status: 403 });
  const listed = (await agent(`GET ${PATH}/searches?unanswered=true`)).body.data;
  expect(listed.map((one: any) => [one.words, one.searches])).toEqual([
    ["vpn on a train", 2],
    ["bill … …", 1],
  ]);
  expect(await agent(`DELETE ${PATH}/searches/${listed[0].id}`)).toMatchObject({
    status: 204,
    events: ["article_search.deleted"],
  });
  expect(await agent(`DELETE ${PATH}/searches/${listed[0].id}`)).toMatchObject({ status: 404 });
});

test("a reviewer is notified, and returns an article with a reason for its author", async () => {
  const reviewer = await world.member(["agent"]);
  const { body } = await agent(`POST ${PATH}`, { title: "Keys", body: "Ask." });
  const { id, number } = body.data;
  expect(await agent(`PATCH ${PATH}/${id}`, { reviewerId: reviewer.userId })).toMatchObject({
    events: ["article.updated"],
    body: { data: { reviewerId: reviewer.userId, version: 1 } },
  });
  expect(await agent(`POST ${PATH}/${id}/return`, { reason: "No" })).toMatchObject({ status: 409 });
  await agent(`POST ${PATH}/${id}/review`);
  const back = await reviewer(`POST ${PATH}/${id}/return`, { reason: "Whom?" });
  expect(back).toMatchObject({
    events: ["article.returned"],
    body: { data: { state: "draft", reviewerId: reviewer.userId } },
  });
  await expect
    .poll(async () => [
      (await reviewer("GET /api/v1/notifications")).body.data[0]?.title,
      (await agent("GET /api/v1/notifications")).body.data[0],
    ])
    .toMatchObject([
      `${number} is waiting for your review`,
      { title: `${number} was returned from review`, body: expect.stringContaining("Whom?") },
    ]);
});

test("a preview shows the future article with uploads of its author only", async () => {
  const markdown =
    "# Plug\n\n<script>1</script> see [the other](KB0000001) ![](file_00000000000000000000000000)";
  const { body } = await agent(`POST ${PATH}/preview`, { body: markdown });
  expect(body.data.html).toContain('<a href="KB0000001"');
  expect(body.data.html).toContain('src="file_00000000000000000000000000"');
  expect(body.data.html).not.toContain("<script>");
  expect(await member(`POST ${PATH}/preview`, { body: markdown })).toMatchObject({ status: 403 });
});
