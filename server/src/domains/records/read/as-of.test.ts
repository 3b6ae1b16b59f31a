import fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const PATH = "/api/v1/tables/orders/records";

await owner("POST /api/v1/tables", {
  slug: "orders",
  name: "Orders",
  columns: [
    { name: "title", type: "text" },
    { name: "amount", type: "decimal" },
    { name: "tags", type: "multi_enum", options: { values: ["a", "b"] } },
    { name: "owner", type: "user" },
  ],
  rules: [
    { roles: ["agent"], actions: ["read"], where: { title: { ne: "hidden" } }, fields: ["title"] },
  ],
});

/** What a reader was told of one thing, and when. */
interface Told {
  readonly at: string;
  readonly status: number;
  readonly data: unknown;
}

/** Asks for a thing after every act; the clock moves on between, so that each act has a moment of its own. */
async function follow(
  path: () => string,
  acts: readonly (() => Promise<unknown>)[],
): Promise<Told[]> {
  const told: Told[] = [];
  for (const act of acts) {
    world.clock.advance(1_000);
    await act();
    world.clock.advance(1_000);
    const { status, body } = await owner(`GET ${path()}`);
    told.push({ at: world.clock.now().toISOString(), status, data: body.data });
  }
  return told;
}

async function expectSame(path: string, told: readonly Told[]): Promise<void> {
  for (const { at, status, data } of told) {
    const then = await owner(`GET ${path}?asOf=${at}`);
    expect([then.status, then.body.data], at).toEqual([status, data]);
    expect(then.headers["etag"]).toBeUndefined();
  }
}

const Change = fc.record(
  {
    title: fc.constantFrom("One", "Two", "hidden"),
    amount: fc.constantFrom("1.50", "2.00", null),
    tags: fc.subarray(["a", "b"]),
  },
  { requiredKeys: [] },
);

test("a record of any history is at every moment what it was then, also while it was deleted and when it was restored", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: Change }, fc.constantFrom("delete", "restore")), {
        minLength: 2,
        maxLength: 6,
      }),
      async (steps) => {
        const { body } = await owner(`POST ${PATH}`, { title: "Begun", amount: "9.00" });
        const path = `${PATH}/${body.data.id}`;
        const acts = steps.map((step) => () => {
          if (step === "delete") return owner(`DELETE ${path}`);
          if (step === "restore") return owner(`POST ${path}/restore`);
          return owner(`PATCH ${path}`, step);
        });
        await expectSame(path, await follow(() => path, acts));
      },
    ),
    { numRuns: tries(4, 100) },
  );
});

test("rights are those of now, on what was there then; before it was made there is nothing", async () => {
  const before = world.clock.now().toISOString();
  world.clock.advance(1_000);
  const { body } = await owner(`POST ${PATH}`, { title: "Seen", amount: "1.00" });
  const path = `${PATH}/${body.data.id}`;
  const seen = world.clock.now().toISOString();
  world.clock.advance(1_000);
  await owner(`PATCH ${path}`, { amount: "2.00" });
  const same = world.clock.now().toISOString();
  world.clock.advance(1_000);
  await owner(`PATCH ${path}`, { title: "hidden" });
  const hidden = world.clock.now().toISOString();
  const as = async (at: string) => {
    const answer = await agent(`GET ${path}?asOf=${at}`);
    return [answer.status, answer.body.data?.title, answer.body.data?.amount];
  };
  expect(await as(before)).toEqual([404, undefined, undefined]);
  expect(await as(seen)).toEqual([200, "Seen", null]);
  // When fields changed that one may not see is not to be seen either.
  expect(await as(same)).toEqual([200, "Seen", null]);
  expect(await as(hidden)).toEqual([404, undefined, undefined]);
  const wrong = ["asOf=yesterday", "asOf=2999-01-01T00:00:00Z", `asOf=${seen}&expand=owner`];
  for (const query of wrong) expect((await owner(`GET ${path}?${query}`)).status, query).toBe(422);
  // The log of then is deleted: that is said, and not guessed.
  await world.sql("delete from events where resource_id = $1 and type = 'record.created'", [
    body.data.id,
  ]);
  expect(await owner(`GET ${path}?asOf=${seen}`)).toMatchObject({
    status: 410,
    body: { code: "past_not_kept" },
  });
});

test("a ticket and a configuration item are what they were, with the relationships of then", async () => {
  let id = "";
  const base = "/api/v1/itsm/incidents";
  const told = await follow(
    () => `${base}/${id}`,
    [
      async () => (id = (await owner(`POST ${base}`, { title: "Printer" })).body.data.id),
      () => owner(`PATCH ${base}/${id}`, { impact: 1, urgency: 1 }),
      () => owner(`PATCH ${base}/${id}`, { assigneeId: agent.userId }),
      () => owner(`POST ${base}/${id}/comments`, { body: "Looking." }),
      () => owner(`POST ${base}/${id}/resolve`, { resolution: "Off and on." }),
      () => owner(`POST ${base}/${id}/reopen`, { reason: "Still broken." }),
    ],
  );
  expect(told.every(({ status }) => status === 200)).toBe(true);
  await expectSame(`${base}/${id}`, told);

  const item = async (name: string): Promise<string> =>
    (await owner("POST /api/v1/cmdb/items", { name, class: "server" })).body.data.id;
  const [web, db] = [await item("web"), await item("db")];
  let link = "";
  const items = "/api/v1/cmdb/items";
  const seen = await follow(
    () => `${items}/${web}`,
    [
      () => owner(`PATCH ${items}/${web}`, { status: "maintenance" }),
      async () =>
        (link = (
          await owner("POST /api/v1/cmdb/relationships", { from: web, to: db, type: "uses" })
        ).body.data.id),
      () => owner(`DELETE /api/v1/cmdb/relationships/${link}`),
      () => owner(`DELETE ${items}/${web}`),
    ],
  );
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  await expectSame(`${items}/${web}`, seen);
});
