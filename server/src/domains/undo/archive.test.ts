import { expect, test } from "vitest";
import { deployedApp } from "#domains/apps/testing/apps.ts";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const { body: role } = await owner("POST /api/v1/settings/roles", {
  name: "Writers",
  permissions: ["workflows:read", "workflows:write", "undo:write", "events:read"],
});
const writer = await world.member([role.data.id]);
type Answered = { readonly headers: Record<string, string> };
const undoOf = (answer: Answered, more: object = {}, ask = owner) =>
  ask("POST /api/v1/undo", { correlationId: answer.headers["x-correlation-id"], ...more });

test("restores an archived workflow with its active trigger", async () => {
  const pass = { id: "pass", type: "transform", config: { expression: "1" } };
  const id = await deployWorkflow(owner, [pass], { trigger: { type: "webhook" } });
  const path = `/api/v1/workflows/${id}`;
  const statusOf = async () => (await owner(`GET ${path}`)).body.data.status;
  const archived = await owner(`DELETE ${path}`);
  expect(archived.events).toEqual(["workflow.deactivated", "workflow.archived"]);
  expect(archived.headers["x-undoable"]).toBe("true");
  const dry = await undoOf(archived, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.changes]).toEqual([
    200,
    [],
    [
      { resource: { type: "workflow", id }, act: "changed", fields: ["archived"] },
      { resource: { type: "workflow", id }, act: "changed", fields: ["active"] },
    ],
  ]);
  const back = await undoOf(archived);
  expect([back.status, back.events]).toEqual([200, ["workflow.unarchived", "workflow.activated"]]);
  expect(await statusOf()).toBe("active");
  const again = await undoOf(back);
  expect(again.events).toEqual(["workflow.deactivated", "workflow.archived"]);
  // A user without deploy permission restores it with an inactive trigger.
  const refused = await undoOf(again, {}, writer);
  expect([refused.status, refused.events]).toEqual([409, []]);
  const skipped = await undoOf(again, { onConflict: "skip" }, writer);
  expect([skipped.status, skipped.events]).toEqual([200, ["workflow.unarchived"]]);
  expect(await statusOf()).toBe("inactive");
});

test("restores an archived app unless its address is in use", async () => {
  const { id, slug } = await deployedApp(owner);
  const path = `/api/v1/apps/${id}`;
  const archived = await owner(`DELETE ${path}`);
  expect([archived.events, archived.headers["x-undoable"]]).toEqual([["app.archived"], "true"]);
  const back = await undoOf(archived);
  expect([back.status, back.events]).toEqual([200, ["app.unarchived"]]);
  expect((await owner(`GET ${path}`)).body.data.status).toBe("active");
  const again = await undoOf(back);
  expect(again.events).toEqual(["app.archived"]);
  const other = await owner("POST /api/v1/apps", { name: "Another", slug });
  expect(other.status).toBe(201);
  const refused = await undoOf(again);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/app/${id}`, message: "has a name that is now used by something else" }],
  ]);
  const direct = await owner(`POST ${path}/unarchive`);
  expect([direct.status, direct.body.code]).toEqual([409, "app_slug_taken"]);
});
