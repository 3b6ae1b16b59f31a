import { expect, test } from "vitest";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { Operation } from "#kernel/contract.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const explain = async (ask: Ask, query: Record<string, string>) =>
  ask(`GET /api/v1/access/explain?${new URLSearchParams(query)}`);

/** One operation per permission; streams are excluded because they do not end. */
function sampleOperations(): Operation[] {
  const all = [...world.kernel.operations.values()].filter(
    ({ access, longRunning, response }) =>
      access === "workspace" && !longRunning && response.stream === undefined,
  );
  const byKey = new Map(
    all.map((op) => [`${op.permission?.name} ${op.ownersInPerson ?? false}`, op] as const),
  );
  return [...byKey.values()];
}

/** Makes the actual call: it is denied before its input is validated; any other result means it is allowed. */
async function isLetThrough(ask: Ask, { route }: Operation): Promise<boolean> {
  const path = route.replaceAll(/\{\w+\}/g, "nothing");
  const body = route.startsWith("GET") || route.startsWith("DELETE") ? undefined : "[]";
  const { status } = await ask(path, body);
  return status !== 403;
}

test.each(BUILT_IN_ROLES)(
  "the explanation is what the call does, for the role %s and a sample of all operations",
  async (role) => {
    const operations = sampleOperations();
    expect(operations.length).toBeGreaterThan(50);
    const member = await world.member([role]);
    const differences: string[] = [];
    for (const op of operations) {
      const { body } = await explain(owner, { userId: member.userId, operation: op.id });
      const allowed: boolean = body.data.allowed;
      const isSaid = allowed === (await isLetThrough(member, op));
      const isExplained =
        allowed === body.data.reasons.every(({ passed }: { passed: boolean }) => passed);
      if (!isSaid || !isExplained) differences.push(op.id);
    }
    expect(differences).toEqual([]);
  },
);

test("names the role and entry that grants the permission, and other roles that would", async () => {
  const { body: made } = await owner("POST /api/v1/settings/roles", {
    name: "Night shift",
    permissions: ["incidents:*"],
  });
  const member = await world.member([made.data.id]);
  const { body } = await explain(owner, { userId: member.userId, operation: "incidents.create" });
  expect(body.data).toMatchObject({
    allowed: true,
    grantedBy: [{ id: made.data.id, name: "Night shift", pattern: "incidents:*" }],
    failure: null,
  });
  expect(body.data.wouldGrant).toContainEqual({ id: "agent", name: "agent" });
  const { body: token } = await member("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "1d",
    scopes: ["incidents:read"],
  });
  // A token can only be created with the permission to create tokens.
  expect(token.code).toBe("forbidden");
});

test("reads a resource as the person would, limits a token to its scopes, and reveals nothing to other callers", async () => {
  const requester = await world.member(["requester"]);
  const agent = await world.member(["agent"]);
  const raised = await agent("POST /api/v1/itsm/incidents", {
    title: "Printer",
    impact: 3,
    urgency: 3,
  });
  const thing = raised.body.data.id;
  const ask = (userId: string, more: object = {}) =>
    explain(owner, { userId, operation: "incidents.get", thing, ...more });
  const seen = await ask(agent.userId);
  expect(seen.body.data).toMatchObject({ allowed: true });
  const hidden = (await ask(requester.userId)).body.data;
  expect(hidden.allowed).toBe(false);
  expect(await requester(`GET /api/v1/itsm/incidents/${thing}`)).toMatchObject({
    status: hidden.failure.status,
  });
  const { body: made } = await agent("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "1d",
    scopes: ["incidents:read"],
  });
  const by = { userId: agent.userId, tokenId: made.data.id };
  expect((await explain(owner, { ...by, operation: "incidents.resolve" })).body.data).toMatchObject(
    {
      allowed: false,
      reasons: expect.arrayContaining([
        expect.objectContaining({ check: "token_scope", passed: false }),
      ]),
    },
  );
  const place = await world.workspace("apart");
  const away = await world.member(["owner"], place);
  expect(await explain(away, { userId: agent.userId, operation: "incidents.get" })).toMatchObject({
    status: 404,
  });
  expect(await explain(agent, { userId: agent.userId, operation: "incidents.get" })).toMatchObject({
    status: 403,
  });
});
