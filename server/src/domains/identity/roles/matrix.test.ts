import { expect, test } from "vitest";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";

/**
 * Tests every built-in role with every permission and every guarded operation: a call is denied exactly if the
 * catalog says so. No data has to exist, because the permission is checked before path and body.
 */
const guarded = domains
  .flatMap((domain) => domain.operations)
  // Operations that infer the workspace need a token, and these tests use sessions.
  .filter((op) => op.permission !== undefined && op.infersWorkspace !== true);

/** One permission guards all its operations in the same way. */
const alike = [
  ...Map.groupBy(guarded, (op) => `${op.permission?.name} ${op.ownersInPerson}`).values(),
];
const ROLES = BUILT_IN_ROLES.length;

/**
 * Selects operations for a role: a sample per permission, so that all roles together cover every operation; in
 * thorough runs, all operations for each role.
 */
function operationsFor(role: (typeof BUILT_IN_ROLES)[number]) {
  if (IS_THOROUGH) return guarded;
  const turn = BUILT_IN_ROLES.indexOf(role);
  return alike.flatMap((ops) =>
    ops.filter((_, index) => index % ROLES === turn % Math.min(ops.length, ROLES)),
  );
}

const world = await useWorld();

test("every operation is tested with at least one role", () => {
  const asked = new Set(BUILT_IN_ROLES.flatMap(operationsFor));
  expect(guarded.filter((op) => !asked.has(op))).toEqual([]);
  expect(guarded.length).toBeGreaterThan(500);
});

test.each(BUILT_IN_ROLES)("%s", async (role) => {
  const ask = await world.member([role]);
  const differences: string[] = [];
  for (const op of operationsFor(role)) {
    const route = op.route.replaceAll(/\{\w+\}/g, "-");
    // An invalid body for all operations, so that allowed calls have no effect.
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
  expect(differences).toEqual([]);
});

test("all permissions used by the console are in the catalog", async () => {
  const owner = await world.member(["owner"]);
  const { body } = await owner("GET /api/v1/settings/permissions");
  const names: string[] = body.data.map(({ name }: { name: string }) => name);
  const shown =
    "workflows:read workflows:trigger deployments:create apps:deploy profile incidents:read " +
    "incidents:write incidents:resolve changes:read problems:read knowledge:read knowledge:write cmdb:read";
  expect(names).toEqual(expect.arrayContaining(shown.split(" ")));
  for (const name of names) expect(name).toMatch(/^(profile|[a-z_]+:[a-z_]+)$/);
});
