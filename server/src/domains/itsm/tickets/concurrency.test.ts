import pg from "pg";
import { expect, inject, test } from "vitest";
import { type Answer, until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const [owner, agent] = await Promise.all([world.member(["owner"]), world.member(["agent"])]);

const WAITING = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Sends a request while another transaction holds the row lock. That transaction then ends with these statements. */
async function behind(
  row: { readonly table: string; readonly id: string },
  statements: readonly [text: string, values: unknown[]][],
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const { owner: server } = inject("database");
  const client = new pg.Client({ ...server, database: world.database.app.database });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(`select from ${row.table} where id = $1 for update`, [row.id]);
    const answer = ask();
    await until(async () => (await world.sql(WAITING)).length > 0);
    for (const [text, values] of statements) await client.query(text, values);
    await client.query("commit");
    return await answer;
  } finally {
    await client.end();
  }
}

test("two concurrent changes of a team both succeed", async () => {
  const { body } = await owner("POST /api/v1/itsm/teams", { name: "Network" });
  const { id } = body.data;
  const joins: [string, unknown[]] = [
    "insert into team_members (workspace_id, team_id, user_id) values ($1, $2, $3)",
    [world.home, id, agent.userId],
  ];
  const renamed = await behind({ table: "teams", id }, [joins], () =>
    owner(`PATCH /api/v1/itsm/teams/${id}`, { description: "Cables" }),
  );
  expect(renamed.body.data).toMatchObject({ description: "Cables", memberIds: [agent.userId] });
  const read = await owner(`GET /api/v1/itsm/teams/${id}`);
  expect(read.body.data).toEqual(renamed.body.data);
});

test("reads current items after waiting for a ticket lock", async () => {
  const made = await owner("POST /api/v1/cmdb/items", { name: "db-1", class: "server" });
  expect(made.status).toBe(201);
  const tickets = [
    ["incident", "incidents", "/api/v1/itsm/incidents", { title: "A" }, { urgency: 1 }],
    ["problem", "problems", "/api/v1/itsm/problems", { title: "A" }, { priority: 1 }],
  ] as const;
  for (const [kind, table, path, draft, change] of tickets) {
    const { id } = (await agent(`POST ${path}`, draft)).body.data;
    const put: [string, unknown[]] = [
      `insert into ticket_items (workspace_id, environment, kind, ticket_id, item_id)
       values ($1, 'production', $2, $3, $4)`,
      [world.home, kind, id, made.body.data.id],
    ];
    const changed = await behind({ table, id }, [put], () => agent(`PATCH ${path}/${id}`, change));
    expect(changed.body.data.ciIds).toEqual([made.body.data.id]);
    const [{ data }] = await world.sql(
      "select data from events where resource_id = $1 order by epoch desc, xid desc, seq desc limit 1",
      [id],
    );
    expect(data.after.ciIds).toEqual([made.body.data.id]);
  }
});

test("a team with open tickets cannot be deleted, in any environment, also while one is being created", async () => {
  const { body } = await owner("POST /api/v1/itsm/teams", { name: "Rehearsal" });
  const { id } = body.data;
  const path = `/api/v1/itsm/teams/${id}`;
  const staging = { "x-environment": "staging" };
  const ticket = { title: "Only a rehearsal", teamId: id };
  const made = await agent("POST /api/v1/itsm/incidents", ticket, staging);
  const refused = await owner(`DELETE ${path}`);
  expect([refused.status, refused.body.code, refused.events]).toEqual([409, "team_in_use", []]);
  await agent(`POST /api/v1/itsm/incidents/${made.body.data.id}/cancel`, {}, staging);
  const late = await behind(
    { table: "teams", id },
    [["delete from teams where id = $1", [id]]],
    () => agent("POST /api/v1/itsm/incidents", ticket),
  );
  expect([late.status, late.body.errors, late.events]).toEqual([
    422,
    [{ path: "/teamId", message: "is not the id of a team" }],
    [],
  ]);
});

test("concurrent attachments do not exceed the limit of a ticket", async () => {
  const { id } = (await agent("POST /api/v1/itsm/incidents", { title: "Logs" })).body.data;
  const path = `/api/v1/itsm/incidents/${id}/attachments`;
  const answers = await Promise.all(
    Array.from({ length: 56 }, (_, n) => agent(`POST ${path}`, { name: `${n}.log`, content: "x" })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(["too_many_attachments"]));
  expect((await agent(`GET ${path}`)).body.data).toHaveLength(50);
});
