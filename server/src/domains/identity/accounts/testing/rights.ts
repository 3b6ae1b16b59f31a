/** Members with few rights, and code that they write. */
import { createFilledTable } from "#domains/records/testing/records.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

/** Creates a member with exactly these permissions. */
export async function memberWith(world: World, owner: Ask, permissions: readonly string[]) {
  count += 1;
  const input = { name: `Role ${count}`, permissions };
  const { status, body } = await owner("POST /api/v1/settings/roles", input);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return world.member([body.data.id]);
}

export const ARTIFACTS = "/api/flowsdk/artifacts";

/** Creates an active artifact. */
export async function createArtifact(
  ask: Ask,
  artifactType: string,
  scriptSource: string,
  more: object = {},
): Promise<any> {
  count += 1;
  const { status, body } = await ask(`POST ${ARTIFACTS}`, {
    name: `artifact ${count}`,
    artifactType,
    status: "active",
    detail: { scriptSource, ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

const SALARIES = [
  { who: "CFO", amount: 5 },
  { who: "CEO", amount: 999_999 },
];

/** A table whose rows only agents and unrestricted roles may read. */
export function createSalaries(world: World, owner: Ask) {
  const columns = [
    { name: "who", type: "text" },
    { name: "amount", type: "integer" },
  ];
  const rules = [{ roles: ["agent"], actions: ["read"] }];
  return createFilledTable(world, owner, { columns, rules }, SALARIES);
}
