import type { Schemas } from "../../data/api.ts";

type Deployed = NonNullable<Schemas["Workflow"]["environments"]["production"]>;

/** Returns why an enabled deployment does not start and how to fix it; undefined if it starts. */
export function stoppedWords({
  enabled,
  orphaned,
  deployedBy,
}: Pick<Deployed, "enabled" | "orphaned" | "deployedBy">): string | undefined {
  if (!enabled || !orphaned) return undefined;
  const who = deployedBy.name === "" ? "the member who deployed it" : deployedBy.name;
  return `Stopped: ${who} left the workspace. Deploy the workflow again to run it as you.`;
}
