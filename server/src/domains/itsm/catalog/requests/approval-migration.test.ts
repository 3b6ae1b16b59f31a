import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);
const [ann, ben] = await Promise.all([world.member(["member"]), world.member(["member"])]);
const REQUESTS = "/api/v1/catalog/requests";
let count = 0;

async function ask(approval: object): Promise<string> {
  count += 1;
  const form = { type: "object", properties: {} };
  const item = await owner("POST /api/v1/catalog/items", { name: `${count}`, form, approval });
  const made = await member(`POST ${REQUESTS}`, { itemId: item.body.data.id, values: {} });
  return made.body.data.id;
}
const act = (by: Ask, id: string, action: string, body: object = {}) =>
  by(`POST ${REQUESTS}/${id}/${action}`, body);

/** SQL that restores the former schema. */
const FORMER = `
  alter table catalog_requests add column approval_required boolean not null default false,
    add column approver_ids text[] collate "C" not null default '{}',
    add column approval_rule text not null default 'any', add column decisions jsonb not null default '[]';
  update catalog_requests r
     set approval_required = true, approval_rule = a.steps -> 0 ->> 'rule', decisions = a.steps -> 0 -> 'decisions',
         approver_ids = array(select s ->> 0 from jsonb_array_elements(a.steps -> 0 -> 'seats') s)
    from approvals a where a.subject_id = r.id;
  drop table approval_people, approvals;
  drop function decides_for, stand_ins_of;
  alter table approval_delegations rename to change_delegations;
  alter index approval_delegations_to rename to change_delegations_to`;

test("pending requests of the former schema can be decided after the migration, and nothing else changes", async () => {
  const approverIds = [ann.userId, ben.userId];
  const required = { required: true, approverIds, rule: "all" };
  const [fresh, half, unnamed, done, rejected, cancelled, free] = await Promise.all([
    ask(required),
    ask(required),
    ask({ required: true, approverIds: [], rule: "any" }),
    ask({ ...required, rule: "any" }),
    ask(required),
    ask(required),
    ask({ required: false, approverIds: [], rule: "any" }),
  ]);
  await act(ann, half, "approve", { comment: "Fine" });
  await act(ann, done, "approve");
  await act(ben, rejected, "reject", { reason: "No" });
  await act(member, cancelled, "cancel");
  const ids = [fresh, half, unnamed, done, rejected, cancelled, free];
  const read = async () =>
    Promise.all(ids.map(async (id) => (await agent(`GET ${REQUESTS}/${id}`)).body.data));
  const waiting = async (by: Ask) =>
    (await by(`GET ${REQUESTS}?toApprove=true`)).body.data.map(({ id }: any) => id).toSorted();
  const [before, askedBefore] = [await read(), await Promise.all([ann, ben, agent].map(waiting))];
  expect(askedBefore).toEqual([[fresh], [fresh, half].toSorted(), [unnamed]]);
  await world.sql(FORMER);
  const migration = new URL("../../../../../migrations/0178_approvals.sql", import.meta.url);
  await world.sql(await readFile(migration, "utf8"));
  const after = await read();
  const plain = (request: any) => {
    const { steps, ...approval } = request.approval;
    // The former schema did not store the start of a step.
    return { ...request, approval: { ...approval, steps: steps?.map((s: any) => s.state) } };
  };
  expect(after.map(plain)).toEqual(before.map(plain));
  expect(await Promise.all([ann, ben, agent].map(waiting))).toEqual(askedBefore);
  const APPROVED = ["request.approved", "request.fulfilment_started"];
  expect((await act(ann, fresh, "approve")).events).toEqual(["request.updated"]);
  expect((await act(ben, fresh, "approve")).events).toEqual(APPROVED);
  expect(await act(ann, half, "approve")).toMatchObject({ status: 409, events: [] });
  expect((await act(ben, half, "approve")).events).toEqual(APPROVED);
  expect((await act(agent, unnamed, "reject", { reason: "No" })).events).toEqual([
    "request.rejected",
  ]);
  // Approvers can still read their requests, and other members cannot.
  expect((await ben(`GET ${REQUESTS}/${done}`)).status).toBe(200);
  expect((await ben(`GET ${REQUESTS}/${unnamed}`)).status).toBe(404);
});
