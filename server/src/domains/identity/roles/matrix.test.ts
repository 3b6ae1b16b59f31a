import { expect, test } from "vitest";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";

/**
 * Every built-in role on every operation that needs a permission: refused exactly when the catalog
 * says so. Nothing has to exist for that: the permission is asked before the path and the body are.
 */
const guarded = domains
  .flatMap((domain) => domain.operations)
  // One that infers its workspace has it from a token, and these here have sessions.
  .filter((op) => op.permission !== undefined && op.infersWorkspace !== true);

const world = await useWorld();

test.each(BUILT_IN_ROLES)("%s", async (role) => {
  const ask = await world.member([role]);
  const differences: string[] = [];
  for (const op of guarded) {
    const route = op.route.replaceAll(/\{\w+\}/g, "-");
    // A body that no operation accepts, so that what is allowed still does nothing.
    const body = op.kind === "command" ? { "no such field": true } : undefined;
    const { status, events } = await ask(
      op.route.startsWith("GET") ? `${route}?no=1` : route,
      body,
    );
    const holds = op.permission?.roles.includes(role) ?? false;
    const isReserved = op.ownersInPerson === true && role !== "owner";
    const isRefused = status === 403;
    if (isRefused === (holds && !isReserved)) differences.push(`${op.id}: ${status}`);
    if (events.length > 0) differences.push(`${op.id} appended ${events.join(", ")}`);
  }
  expect(guarded.length).toBeGreaterThan(500);
  expect(differences).toEqual([]);
});

test("every permission that the interface shows is in the catalog", async () => {
  const owner = await world.member(["owner"]);
  const { body } = await owner("GET /api/v1/settings/permissions");
  const names: string[] = body.data.map(({ name }: { name: string }) => name);
  const shown =
    "workflows:read workflows:trigger deployments:create apps:deploy profile incidents:read " +
    "incidents:write incidents:resolve changes:read problems:read knowledge:read knowledge:write cmdb:read";
  expect(names).toEqual(expect.arrayContaining(shown.split(" ")));
  for (const name of names) expect(name).toMatch(/^(profile|[a-z_]+:[a-z_]+)$/);
});
