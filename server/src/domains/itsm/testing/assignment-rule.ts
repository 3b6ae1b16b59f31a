import type { Ask, World } from "#kernel/testing/world.ts";

let count = 0;

/** A text that no other ticket has, and a rule that gives tickets of that title (or another field) to somebody. */
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
