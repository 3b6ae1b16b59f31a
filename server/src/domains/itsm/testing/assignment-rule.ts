import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

/** Creates a unique title, and a rule that assigns tickets with that title (or another field). */
export async function routedTitle(
  owner: Ask,
  world: World,
  {
    field = "title",
    ...rule
  }: { readonly entity: string; readonly on?: readonly string[]; readonly field?: string },
): Promise<string> {
  count += 1;
  const title = `Routed ${count}`;
  const { userId } = await world.member(["agent"]);
  await owner("POST /api/v1/itsm/assignment-rules", {
    name: `Gives ${rule.entity} ${count}`,
    conditions: { [field]: title },
    method: "fixed",
    userIds: [userId],
    ...rule,
  });
  return title;
}
