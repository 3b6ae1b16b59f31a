import { inProduction, secretUser } from "#kernel/testing/secret-user.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { Kernel } from "#kernel/kernel.ts";
import { encodingsOf } from "#kernel/secrets/secret-forms.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { type Answer, type Ask, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../app.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

async function lastEvent(ask: Ask): Promise<any> {
  return (await ask("GET /api/v1/audit?limit=1")).body.data[0];
}

test("stores, reads, rotates and deletes a secret without ever returning its value", async () => {
  const stored = await owner("POST /api/v1/secrets", {
    name: "API_KEY",
    value: "the first value",
    description: "For billing",
  });
  expect(stored).toMatchObject({
    status: 201,
    events: ["audit.secret.created"],
    headers: { location: "/api/v1/secrets/API_KEY", etag: '"1"' },
  });
  const { createdAt, updatedAt } = stored.body.data;
  expect(stored.body).toEqual({
    data: {
      name: "API_KEY",
      description: "For billing",
      environments: [],
      ownValuesOnly: false,
      lastUsedAt: null,
      createdAt,
      updatedAt,
    },
  });
  expect(await lastEvent(owner)).toMatchObject({
    type: "audit.secret.created",
    resource: { type: "secret", id: "API_KEY", displayName: "API_KEY" },
    data: { name: "API_KEY", description: "For billing", ownValuesOnly: false },
  });

  world.clock.advance(1_000);
  const rotated = await owner("PUT /api/v1/secrets/API_KEY", { value: "the second value" });
  expect(rotated).toMatchObject({
    status: 200,
    events: ["audit.secret.updated"],
    headers: { etag: '"2"' },
    body: { data: { name: "API_KEY", description: "For billing", createdAt } },
  });
  expect(rotated.body.data.updatedAt > updatedAt).toBe(true);
  expect((await lastEvent(owner)).data).toEqual({
    before: { name: "API_KEY", description: "For billing", ownValuesOnly: false },
    after: { name: "API_KEY", description: "For billing", ownValuesOnly: false },
    changes: ["value"],
  });

  const described = await owner("PUT /api/v1/secrets/API_KEY", {
    value: "the third value",
    description: "For all",
  });
  expect(described.events).toEqual(["audit.secret.updated"]);
  expect((await lastEvent(owner)).data).toEqual({
    before: { name: "API_KEY", description: "For billing", ownValuesOnly: false },
    after: { name: "API_KEY", description: "For all", ownValuesOnly: false },
    changes: ["description", "value"],
  });

  const read = await owner("GET /api/v1/secrets/API_KEY");
  expect(read).toMatchObject({ status: 200, events: [], headers: { etag: '"3"' } });
  expect(read.body).toEqual(described.body);
  const same = await owner("GET /api/v1/secrets/API_KEY", undefined, { "if-none-match": '"3"' });
  expect(same.status).toBe(304);

  const deleted = await owner("DELETE /api/v1/secrets/API_KEY", undefined, { "if-match": '"3"' });
  expect(deleted).toMatchObject({ status: 204, events: ["audit.secret.deleted"] });
  expect((await lastEvent(owner)).data).toEqual({
    name: "API_KEY",
    description: "For all",
    ownValuesOnly: false,
  });
  const gone = await owner("GET /api/v1/secrets/API_KEY");
  expect(gone).toMatchObject({ status: 404, events: [] });
  for (const route of ["PUT", "DELETE"]) {
    const body = route === "PUT" ? { value: "x" } : undefined;
    expect(await owner(`${route} /api/v1/secrets/API_KEY`, body)).toMatchObject({
      status: 404,
      events: [],
    });
  }
});

test("a name is unique in a workspace and valid in references", async () => {
  const draft = { name: "TAKEN", value: "anything" };
  expect((await owner("POST /api/v1/secrets", draft)).status).toBe(201);
  expect(await owner("POST /api/v1/secrets", draft)).toMatchObject({
    status: 409,
    body: { code: "secret_exists" },
    events: [],
  });
  const other = await world.member(["owner"], await world.workspace("next-door"));
  expect((await other("POST /api/v1/secrets", draft)).status).toBe(201);
  const bad = ["", "1ST", "WITH-HYPHEN", "WITH SPACE", "UMLÄUT", `${"x".repeat(101)}`];
  for (const name of bad) {
    expect(await owner("POST /api/v1/secrets", { ...draft, name })).toMatchObject({
      status: 422,
      events: [],
    });
  }
});

test("accepts values of 1 to 65536 characters and stores them unchanged", async () => {
  const values = ["x", " \n\ttrailing \r\n", "🔑 ünïcödé \u2028", "y".repeat(65_536)];
  for (const [n, value] of values.entries()) {
    const { status } = await owner("POST /api/v1/secrets", { name: `EXACT_${n}`, value });
    expect(status).toBe(201);
    const { values: opened } = await world.kernel.secrets.read(
      inProduction(world.home),
      [`EXACT_${n}`],
      secretUser,
    );
    expect(opened.get(`EXACT_${n}`)).toBe(value);
  }
  for (const value of ["", "y".repeat(65_537)]) {
    const refused = await owner("POST /api/v1/secrets", { name: "NOT_EXACT", value });
    expect(refused).toMatchObject({ status: 422, events: [] });
    expect(JSON.stringify(refused.body)).not.toContain("yyyy");
  }
});

test("lists secrets by name, page by page, equal in every environment", async () => {
  const workspace = await world.workspace("listed");
  const ask = await world.member(["builder"], workspace);
  for (const name of ["b", "_c", "A", "a"]) {
    await ask("POST /api/v1/secrets", { name, value: `value of ${name}` });
  }
  const names: string[] = [];
  let after = "";
  do {
    const { body, status } = await ask(`GET /api/v1/secrets?limit=3${after}`, undefined, {
      "x-environment": "staging",
    });
    expect(status).toBe(200);
    for (const item of body.data) {
      expect(Object.keys(item).toSorted()).toEqual([
        "createdAt",
        "description",
        "environments",
        "lastUsedAt",
        "name",
        "ownValuesOnly",
        "revision",
        "updatedAt",
      ]);
      names.push(item.name);
    }
    after = body.pagination.hasMore ? `&after=${body.pagination.nextCursor}` : "";
  } while (after !== "");
  expect(names).toEqual(["A", "_c", "a", "b"]);
});

test("builders have access, and viewers can't even see the names", async () => {
  const roles: Record<string, number> = { admin: 200, builder: 200, agent: 403, viewer: 403 };
  for (const [role, status] of Object.entries(roles)) {
    const ask = await world.member([role]);
    expect((await ask("GET /api/v1/secrets")).status).toBe(status);
    const rotated = await ask("PUT /api/v1/secrets/TAKEN", { value: "by another" });
    expect(rotated).toMatchObject({
      status,
      events: status === 200 ? ["audit.secret.updated"] : [],
    });
  }
});

test("a rotation takes effect immediately on another node that used the old value", async () => {
  const node = await Kernel.open({
    database: world.database,
    settings: world.kernel.settings,
    masterKey: TEST_KEY,
    domains,
    log: pino({ level: "silent" }),
  });
  try {
    await owner("POST /api/v1/secrets", { name: "TURNING", value: "value number 0" });
    for (let turn = 1; turn <= 20; turn += 1) {
      const old = await node.secrets.resolve(
        inProduction(world.home),
        "{{secrets.TURNING}}",
        secretUser,
      );
      expect(old.value).toBe(`value number ${turn - 1}`);
      await owner("PUT /api/v1/secrets/TURNING", { value: `value number ${turn}` });
    }
    await owner("DELETE /api/v1/secrets/TURNING");
    await expect(
      node.secrets.resolve(inProduction(world.home), "{{secrets.TURNING}}", secretUser),
    ).rejects.toMatchObject({
      type: { code: "unknown_secret" },
    });
  } finally {
    await node.close();
  }
});

test("a planted value appears in no table row, response or log line", async () => {
  const planted = ["planted-one 7c9e6679/+ü", "planted-two 7425-40de"];
  const answers: Answer[] = [];
  const ask: Ask = async (...request) => {
    const answer = await owner(...request);
    answers.push(answer);
    return answer;
  };
  const key = { "idempotency-key": "plant" };
  const draft = { name: "PLANTED", value: planted[0], description: "Dug up?" };
  await ask("POST /api/v1/secrets", draft, key);
  await ask("POST /api/v1/secrets", draft, key);
  await ask("POST /api/v1/secrets", draft);
  await ask("POST /api/v1/secrets", { ...draft, name: "not a name", surplus: planted[0] });
  await ask("PUT /api/v1/secrets/PLANTED", { value: planted[1] }, { "if-match": '"9"' });
  await ask("PUT /api/v1/secrets/PLANTED", { value: planted[1] });
  await ask("PUT /api/v1/secrets/NOWHERE", { value: planted[1] });
  await ask("PUT /api/v1/secrets/PLANTED/environments/staging", { value: planted[1] });
  await ask("POST /api/v1/secrets", `{"name":"BROKEN","value":"${planted[1]}`);
  await world.kernel.secrets.read(inProduction(world.home), ["PLANTED"], secretUser);
  await ask("GET /api/v1/secrets");
  await ask("GET /api/v1/secrets/PLANTED");
  await ask("GET /api/v1/audit");
  await ask("DELETE /api/v1/secrets/PLANTED");
  expect(answers.map(({ status }) => status)).toEqual([
    201, 201, 409, 422, 412, 200, 404, 200, 400, 200, 200, 200, 204,
  ]);

  const places = new Map<string, string>([
    ["the answers", JSON.stringify(answers)],
    ["the log", world.lines.join("")],
  ]);
  const tables = await world.sql(
    "select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(tables.length).toBeGreaterThan(8);
  for (const { name } of tables) {
    const rows = await world.sql(`select t::text as row from ${name} t`);
    places.set(name, rows.map(({ row }) => row as string).join("\n"));
  }
  expect(places.get("events")).toContain("audit.secret.updated");
  for (const value of planted) {
    const bytes = Buffer.from(value).toString("hex");
    for (const spelling of [...encodingsOf(value), bytes]) {
      for (const [place, text] of places) {
        expect(text.includes(spelling), `${spelling} in ${place}`).toBe(false);
      }
    }
  }
});
