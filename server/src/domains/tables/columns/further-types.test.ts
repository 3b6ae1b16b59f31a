import { expect, test } from "vitest";
import { createFilledTable, importCsv, valuesIn } from "#domains/records/testing/records.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const columns = [
  { name: "took", type: "duration" },
  { name: "mail", type: "email", unique: true },
  { name: "page", type: "url" },
  { name: "who", type: "user", default: "$user" },
  { name: "born", type: "date", indexed: true },
];
const fields = columns.map(({ name }) => name);

test("durations, e-mail addresses, URLs, members and early dates have one canonical form", async () => {
  const { path } = await createFilledTable(world, owner, { columns }, []);
  const me = (await owner("GET /api/v1/auth/me")).body.data.user.id as string;
  const made = await owner(`POST ${path}`, {
    took: "1h 30m",
    mail: "Ada@Example.COM",
    page: "https://example.com/a?b=c",
    born: "0987-02-28",
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["record.created"],
    body: { data: { took: 5400, mail: "Ada@example.com", who: me, born: "0987-02-28" } },
  });
  for (const [took, seconds] of [
    ["1:05", 3_900],
    ["0:00:01.5", 1.5],
    ["P1DT1S", 86_401],
    [12.345, 12.345],
  ]) {
    const { body } = await owner(`POST ${path}`, { took });
    expect(body.data.took).toBe(seconds);
  }
  const wrong = await owner(`POST ${path}`, {
    took: -1,
    mail: "ada@localhost",
    page: "javascript:alert(1)",
    who: "usr_01jd0000000000000000000000",
    born: "1800-02-30",
  });
  expect(wrong.status).toBe(422);
  expect(wrong.body.errors.map((error: { path: string }) => error.path)).toEqual([
    "/took",
    "/mail",
    "/page",
    "/born",
  ]);
  const stranger = await owner(`POST ${path}`, { who: "usr_01jd0000000000000000000000" });
  expect(stranger.body.errors).toMatchObject([{ path: "/who" }]);
  const twice = await owner(`POST ${path}`, { mail: "Ada@EXAMPLE.com" });
  expect(twice).toMatchObject({ status: 409, body: { code: "record_not_unique" } });
  const filter = encodeURIComponent(
    JSON.stringify({ took: { gte: 3_900 }, born: { lt: "1000-01-01" } }),
  );
  const found = await owner(`GET ${path}?filter=${filter}&expand=who&sort=-took`);
  expect(found.body.data).toMatchObject([{ took: 5_400, who: { id: me } }]);
  const searched = await owner(`GET ${path}?q=EXAMPLE.com/a`);
  expect(searched.body.data).toHaveLength(1);
});

test("they survive a CSV round trip, and a text column converts if all values are valid", async () => {
  const source = await createFilledTable(world, owner, { columns }, []);
  await owner(`POST ${source.path}`, {
    took: 3_661.5,
    mail: "a@b.co",
    page: "http://x.y/",
    born: "1815-12-10",
  });
  const file = await owner(`GET ${source.path}/export?fields=took,mail,page,born`);
  expect(String(file.body)).toContain("1:01:01.5,a@b.co,http://x.y/,1815-12-10");
  const target = await createFilledTable(world, owner, { columns }, []);
  const csv = "took,mail,page,born\n1:01:01.5,a@b.co,http://x.y/,1815-12-10\n";
  expect((await importCsv(owner, target.path, csv)).status).toBe(200);
  const names = ["took", "mail", "page", "born"];
  expect(await valuesIn(owner, target.path, names)).toEqual([
    [3_661.5, "a@b.co", "http://x.y/", "1815-12-10"],
  ]);
  const texts = await createFilledTable(
    world,
    owner,
    { columns: fields.slice(0, 2).map((name) => ({ name, type: "text" })) },
    [{ took: "2:00", mail: "c@d.ef" }],
  );
  const change = (body: object) => owner(`PATCH /api/v1/tables/${texts.slug}`, body);
  const retyped = await change({
    alterColumns: [
      { name: "took", type: "duration" },
      { name: "mail", type: "email" },
    ],
  });
  expect(retyped.body.errors ?? retyped.status).toBe(200);
  expect(await valuesIn(owner, texts.path, ["took", "mail"])).toEqual([[7_200, "c@d.ef"]]);
  const refused = await change({ alterColumns: [{ name: "mail", type: "url" }] });
  expect(refused).toMatchObject({ status: 422, events: [] });
});
