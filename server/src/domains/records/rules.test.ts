import { describe, expect, test } from "vitest";
import type { Ask } from "#kernel/testing/world.ts";
import { createFilledTable } from "./testing/records.ts";
import { columns, useRuledTables } from "./testing/ruled-table.ts";

const { world, owner, agent, member, builder, auditor, create: make } = await useRuledTables();

type Refusal = readonly [status: number, path?: string | undefined];

async function outcome(
  ask: Ask,
  route: string,
  body?: object,
): Promise<{ refusal: Refusal; data: any; events: string[] }> {
  const answer = await ask(route, body);
  return {
    refusal: answer.body?.errors ? [answer.status, answer.body.errors[0].path] : [answer.status],
    data: answer.body?.data,
    events: answer.events,
  };
}

describe("effects of access rules", () => {
  test.each([
    ["owner", "open", { title: "new", state: "open", salary: 7 }, [201]],
    ["agent", "open", { title: "new", state: "open" }, [201]],
    ["agent", "a field", { title: "new", state: "open", salary: 8 }, [403, "/salary"]],
    ["agent", "null in a field", { state: "open", salary: null }, [403, "/salary"]],
    ["agent", "closed", { title: "new", state: "closed" }, [403, ""]],
    ["member", "anyone's", { title: "anyone's" }, [201]],
    ["member", "open", { title: "new", state: "open" }, [403, ""]],
    ["builder", "anyone's", { title: "anyone's", salary: 9 }, [201]],
    ["builder", "open", { state: "open" }, [403, ""]],
    ["agent", "nothing valid", { state: "new", salary: 9 }, [422, "/state"]],
  ])("%s makes %s", async (who, _, body, expected) => {
    const { path } = await make();
    const people: Record<string, Ask> = { owner, agent, member, builder };
    const ask = people[who] ?? owner;
    const one = await outcome(ask, `POST ${path}`, body);
    expect(one.refusal).toEqual(expected);
    expect(one.events).toEqual(expected[0] === 201 ? ["record.created"] : []);
    const { salary: _salary, ...rest } = body as { salary?: number };
    const many = await outcome(ask, `POST ${path}/bulk`, { records: [rest, { ...body }] });
    const [status, at] = expected;
    const worst = "salary" in body && status === 403 && at !== "" ? "1" : "0";
    const where = status === 422 ? "/records/0/state" : `/records/${worst}${at}`;
    // Salaries are unique, and the first record has this one.
    if (who === "owner" || (who === "builder" && status === 201)) {
      expect(many.refusal).toEqual([409, "/records/1/salary"]);
    } else expect(many.refusal).toEqual(status === 201 ? [201] : [status, where]);
  });

  test("a member who may create a record but not see it gets its id", async () => {
    const { path } = await make();
    const { data } = await outcome(builder, `POST ${path}`, { title: "anyone's", state: "open" });
    expect(data).toEqual({
      id: expect.stringMatching(/^rec_/),
      createdAt: null,
      updatedAt: null,
      createdBy: null,
      title: null,
      salary: null,
      state: null,
      holder: null,
    });
    const own = await outcome(member, `POST ${path}`, { title: "anyone's" });
    expect(own.data).toMatchObject({ title: "anyone's", createdBy: member.userId });
  });

  test.each([
    ["owner", 2, { salary: 9 }, [200]],
    ["agent", 0, { title: "ONE" }, [200]],
    ["agent", 0, { state: "closed" }, [200]],
    ["agent", 0, { title: "x", salary: 1 }, [403, "/salary"]],
    ["agent", 0, { salary: 9 }, [403, "/salary"]],
    ["agent", 0, { state: null }, [403, ""]],
    ["agent", 1, { title: "TWO" }, [200]],
    ["agent", 1, { state: "open" }, [403, "/state"]],
    ["agent", 2, { title: "THREE" }, [404]],
    ["member", 0, { title: "ONE" }, [404]],
    ["auditor", 0, { title: "ONE" }, [403]],
    ["builder", 0, { title: "ONE" }, [404]],
  ])("%s changes record %i by %j", async (who, index, body, expected) => {
    const { path, ids } = await make();
    const people: Record<string, Ask> = { owner, agent, member, builder, auditor };
    const { refusal, events } = await outcome(
      people[who] ?? owner,
      `PATCH ${path}/${ids[index]}`,
      body,
    );
    expect(refusal).toEqual(expected);
    expect(events).toEqual(expected[0] === 200 ? ["record.updated"] : []);
  });

  test("a member with access to a record can change it, and reassign it only within what they may see", async () => {
    const { path, ids } = await make();
    await owner(`PATCH ${path}/${ids[0]}`, { holder: member.userId });
    const changed = await outcome(member, `PATCH ${path}/${ids[0]}`, { salary: 8 });
    expect(changed).toMatchObject({ refusal: [200], data: { title: "one", salary: 8 } });
    const given = await outcome(member, `PATCH ${path}/${ids[0]}`, { holder: agent.userId });
    expect(given.refusal).toEqual([403, ""]);
  });

  test("the response to a change contains what the member may see afterwards", async () => {
    const { path, ids } = await make();
    const { data } = await outcome(agent, `PATCH ${path}/${ids[0]}`, { state: "closed" });
    expect(data).toMatchObject({ id: ids[0], title: null, state: "closed", salary: null });
    expect(data.updatedAt).toBeNull();
  });

  test.each([
    ["owner", 0, [204]],
    ["agent", 0, [403, ""]],
    ["agent", 1, [204]],
    ["agent", 2, [404]],
    ["member", 0, [404]],
  ])("%s deletes record %i", async (who, index, expected) => {
    const { path, ids } = await make();
    const ask = ({ owner, agent, member } as Record<string, Ask>)[who] ?? owner;
    const { refusal, events } = await outcome(ask, `DELETE ${path}/${ids[index]}`);
    expect(refusal).toEqual(expected);
    expect(events).toEqual(expected[0] === 204 ? ["record.deleted"] : []);
  });

  test("bulk changes and deletions affect only visible records, all or none", async () => {
    const { path, ids, place } = await make();
    const bulk = (filter: object, set: object) =>
      outcome(agent, `PATCH ${path}/bulk`, { filter, set });
    expect(await bulk({}, { title: "same" })).toMatchObject({
      data: { updated: 2 },
      events: ["record.updated", "record.updated"],
    });
    // A filter on hidden fields matches nothing.
    expect(await bulk({ salary: 1 }, { title: "x" })).toMatchObject({ data: { updated: 0 } });
    expect(await bulk({ title: "same", state: "closed" }, { title: "x" })).toMatchObject({
      data: { updated: 0 },
    });
    expect((await bulk({ state: "open" }, { salary: 1 })).refusal).toEqual([403, "/set/salary"]);
    expect((await bulk({}, { state: "open" })).refusal).toEqual([403, "/set/state"]);
    const remove = (filter: object) =>
      outcome(agent, `DELETE ${path}/bulk?filter=${encodeURIComponent(JSON.stringify(filter))}`);
    expect((await remove({})).refusal).toEqual([403, `/${ids[0]}`]);
    expect(await remove({ state: "closed" })).toMatchObject({ data: { deleted: 1 } });
    const rows = await world.sql(`select title from ${place} order by id`);
    expect(rows).toEqual([{ title: "same" }, { title: "three" }]);
  });

  test("an upsert creates and changes only what the rules allow", async () => {
    const more = [
      { roles: ["builder"], actions: ["read", "update", "create"], fields: ["salary", "title"] },
      { roles: ["member"], actions: ["create", "update"] },
    ];
    const { path } = await createFilledTable(world, owner, { columns, rules: more }, [
      { title: "one", salary: 1 },
    ]);
    const put = (ask: Ask, ...records: object[]) =>
      outcome(ask, `PUT ${path}/bulk`, { key: "salary", records });
    expect(
      await put(builder, { salary: 1, title: "ONE" }, { salary: 2, title: "two" }),
    ).toMatchObject({
      data: { created: 1, updated: 1 },
      events: ["record.updated", "record.created"],
    });
    expect((await put(builder, { salary: 3 }, { salary: 1, state: "open" })).refusal).toEqual([
      403,
      "/records/1/state",
    ]);
    expect((await put(builder, { salary: 3, state: "open" })).refusal).toEqual([
      403,
      "/records/0/state",
    ]);
    // A member cannot change a record that they cannot see.
    expect((await put(member, { salary: 1, title: "x" })).refusal).toEqual([403, "/records/0"]);
    expect((await put(agent, { salary: 9, title: "x" })).refusal).toEqual([403, "/records/0"]);
  });
});

describe("a preview", () => {
  test("shows what the member would see, only to callers without access rules", async () => {
    const { path } = await make();
    const people = { owner, agent, member, builder, auditor };
    for (const [role, person] of Object.entries(people)) {
      const body = { roles: [role], userId: person.userId };
      const preview = await outcome(owner, `POST ${path}/preview`, body);
      const own = await outcome(person, `GET ${path}?expand=holder`);
      expect(preview.data.records.map(({ id }: { id: string }) => id)).toEqual(
        (own.data ?? []).map(({ id }: { id: string }) => id),
      );
      for (const [at, record] of preview.data.records.entries()) {
        expect(own.data[at]).toMatchObject(record);
      }
      expect(preview.data.total).toBe(preview.data.records.length);
    }
    for (const person of [agent, member, builder, auditor]) {
      expect((await outcome(person, `POST ${path}/preview`, { roles: ["owner"] })).refusal).toEqual(
        [403],
      );
    }
    const rules = [
      { roles: ["agent"], actions: ["read"], where: { salary: { gt: 1 } }, fields: ["title"] },
    ];
    const draft = await outcome(owner, `POST ${path}/preview`, { roles: ["agent"], rules });
    expect(draft.data).toMatchObject({
      total: 2,
      actions: [
        { action: "read", records: "some", fields: ["title"] },
        { action: "create", records: "none", fields: null },
        { action: "update", records: "none", fields: null },
        { action: "delete", records: "none", fields: null },
      ],
      records: [
        { title: "three", salary: null },
        { title: "two", salary: null },
      ],
    });
    const wrong = [{ roles: ["agent"], actions: ["read"], where: { nope: 1 } }];
    expect(
      (await outcome(owner, `POST ${path}/preview`, { roles: ["agent"], rules: wrong })).refusal,
    ).toEqual([422, "/rules/0/where/nope"]);
  });
});
