import { describe, expect, test } from "vitest";
import { PAGER, useWebhooks, WEBHOOKS } from "./testing/webhook.ts";

const { owner, create: made, lastEvent } = await useWebhooks();

describe("two spellings", () => {
  test("accepts both, and returns both", async () => {
    const snake = {
      retry_strategy: "fixed",
      retry_max_delay_ms: 60_000,
      timeout_ms: 2_500,
      max_per_second: 0.5,
    };
    const camel = {
      retryStrategy: "fixed",
      retryMaxDelayMs: 60_000,
      timeoutMs: 2_500,
      maxPerSecond: 0.5,
    };
    for (const draft of [snake, camel, { ...snake, ...camel }]) {
      expect(await made(draft)).toMatchObject({ ...snake, ...camel });
    }
    const { id } = await made(camel);
    const changed = await owner(`PATCH ${WEBHOOKS}/${id}`, {
      timeout_ms: 3_000,
      maxPerSecond: null,
    });
    expect(changed.body.data).toMatchObject({
      timeoutMs: 3_000,
      timeout_ms: 3_000,
      maxPerSecond: null,
      max_per_second: null,
      retryStrategy: "fixed",
    });
    expect((await lastEvent(id)).data.changes).toEqual(["timeoutMs", "maxPerSecond"]);
  });

  test.each([
    [{ retryStrategy: "fixed", retry_strategy: "exponential" }],
    [{ retryMaxDelayMs: 1_000, retry_max_delay_ms: 2_000 }],
    [{ retryMaxDelayMs: null, retry_max_delay_ms: 2_000 }],
    [{ timeoutMs: 1_000, timeout_ms: 2_000 }],
    [{ maxPerSecond: 1, max_per_second: 2 }],
  ])("two that differ are refused, by name: %j", async (both) => {
    const paths = Object.keys(both).map((name) => `/${name}`);
    const { id } = await made();
    for (const answer of [
      await owner(`POST ${WEBHOOKS}`, { ...PAGER, ...both }),
      await owner(`PATCH ${WEBHOOKS}/${id}`, both),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
      expect(answer.body.errors.map(({ path }: any) => path).toSorted()).toEqual(paths.toSorted());
    }
  });
});

test.each([
  [{ name: "" }, "/name"],
  [{ name: "n".repeat(201) }, "/name"],
  [{ url: `https://example.com/${"u".repeat(2_048)}` }, "/url"],
  [{ url: "http://example.com/" }, "/url"],
  [{ events: [] }, "/events"],
  [{ events: Array.from({ length: 101 }, () => "incident.*") }, "/events"],
  [{ events: ["incident.*", "in cident", "a..b"] }, "/events/1 /events/2"],
  [{ environments: [] }, "/environments"],
  [{ environments: ["moon"] }, "/environments/0"],
  [{ retries: 21 }, "/retries"],
  [{ retries: -1 }, "/retries"],
  [{ timeoutMs: 99 }, "/timeoutMs"],
  [{ timeout_ms: 60_001 }, "/timeout_ms"],
  [{ retryMaxDelayMs: 999 }, "/retryMaxDelayMs"],
  [{ retry_max_delay_ms: 86_400_001 }, "/retry_max_delay_ms"],
  [{ maxPerSecond: 0.05 }, "/maxPerSecond"],
  [{ max_per_second: 1_001 }, "/max_per_second"],
  [{ secret: "" }, "/secret"],
  [{ secret: "s".repeat(501) }, "/secret"],
  [{ format: "xml" }, "/format"],
  [{ status: "dead" }, "/status"],
  [{ hasSecret: true }, "/hasSecret"],
  [
    { filter: { "data.a": { over: 1 }, or: [], not: { "b..c": 1 } } },
    "/filter/data.a/over /filter/not/b..c /filter/or",
  ],
  [{ events: ["!"], url: "ftp://x", filter: { a: {} } }, "/events/0 /filter/a /url"],
])("%j is refused at %s, new or as a change", async (wrong, paths) => {
  const { id } = await made();
  for (const answer of [
    await owner(`POST ${WEBHOOKS}`, { ...PAGER, ...wrong }),
    await owner(`PATCH ${WEBHOOKS}/${id}`, wrong),
  ]) {
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    const found = answer.body.errors.map(({ path }: any) => path).toSorted();
    expect(found.join(" ")).toBe(paths);
  }
});

test("accepts values at the limits", async () => {
  await made({
    name: "n".repeat(200),
    url: `https://example.com/${"u".repeat(2_048 - 20)}`,
    events: Array.from({ length: 100 }, (_, index) => `a.b${index}`),
    environments: ["staging", "development"],
    headers: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`X-H${index}`, "v".repeat(4_096)]),
    ),
    retries: 20,
    timeoutMs: 60_000,
    retryMaxDelayMs: 86_400_000,
    maxPerSecond: 1_000,
    secret: "s".repeat(500),
    filter: {},
  });
  await made({ retries: 0, timeout_ms: 100, retry_max_delay_ms: 1_000, max_per_second: 0.1 });
});

test("warns about unknown event types, which would never occur", async () => {
  const events = ["recrod.created", "record.creatd", "incident.*", "shop.order_paid"];
  const made = await owner(`POST ${WEBHOOKS}`, { ...PAGER, events });
  expect(made).toMatchObject({
    status: 201,
    events: ["webhook.created"],
    body: {
      data: {
        warnings: [0, 1].map((index) => ({
          path: `/events/${index}`,
          message: "is not an event type of the platform (did you mean record.created?)",
        })),
      },
    },
  });
});
