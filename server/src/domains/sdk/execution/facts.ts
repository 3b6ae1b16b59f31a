import type { Caller, Outside } from "#kernel/caller.ts";

const READ = "select slug, name from workspaces where key = $1";

/** What a script may know without asking: `context.workspace` and `context.environment`. */
export async function factsOf(
  { db }: Outside,
  { workspace, environment, credential }: Caller,
): Promise<{ readonly workspace: object; readonly environment: string }> {
  if (!workspace) throw new Error("A script belongs to a workspace.");
  const memberships = [...(credential?.memberships.values() ?? [])];
  const known = memberships.find((one) => one.workspace.id === workspace.id)?.workspace;
  const [row] = known
    ? [known]
    : await db.system<{ readonly slug: string; readonly name: string }>(READ, [workspace.key]);
  const { slug = "", name = "" } = row ?? {};
  return { workspace: { id: workspace.id, slug, name }, environment };
}
