/** Creates draft workflows from n8n exports and definitions. */
import { call, type Input } from "../../../data/api.ts";
import { describeRefusal } from "../../../data/change.ts";
import { notify } from "../../../ui/toast.tsx";
import { count } from "../../../ui/words.ts";
import type { Imported } from "../definition-file.ts";
import { choicesFor, type useFolder } from "./folder.tsx";

/** Creates the workflows of an n8n export as drafts. */
export async function createDrafts(
  workflow: object,
  bindings: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  // Postponed choices are not sent: their steps stay incomplete and can't be deployed.
  const decided = Object.entries(bindings).filter(([, value]) => value !== "");
  const { data } = await call("workflows.import", {
    body: { format: "n8n", workflow, bindings: Object.fromEntries(decided) },
  } as Input<"workflows.import">);
  const ids: string[] = [];
  for (const { definition } of data.workflows) {
    const made = await call("workflows.create", {
      body: { ...definition, changeSummary: "Imported from n8n" },
    } as unknown as Input<"workflows.create">);
    ids.push(made.data.id);
  }
  return ids;
}

async function createDefinition(definition: Imported): Promise<string> {
  const body = { ...definition, changeSummary: "Imported" };
  const made = await call("workflows.create", { body } as unknown as Input<"workflows.create">);
  return made.data.id;
}

/** Imports each file separately, so that an invalid file does not affect the rest. Errors are shown per file. */
export async function createFiles(
  { chosen, settle }: ReturnType<typeof useFolder>,
  bindings: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const ids: string[] = [];
  let refused = 0;
  for (const file of chosen) {
    const { name, workflow, definition } = file;
    try {
      if (workflow) ids.push(...(await createDrafts(workflow, choicesFor(file, bindings))));
      else if (definition) ids.push(await createDefinition(definition));
      settle(name, { isChosen: false, isMade: true });
    } catch (error) {
      refused += 1;
      settle(name, { isChosen: false, problem: describeRefusal(error) });
    }
  }
  if (refused === 0) return toPlace(ids);
  notify(`${count(ids.length, "draft")} imported, ${count(refused, "file")} rejected.`);
  return undefined;
}

/** Links to the created drafts. */
export function toPlace(ids: readonly string[]): string {
  const [first] = ids;
  notify(ids.length === 1 ? "Workflow imported as a draft." : `${ids.length} drafts imported.`);
  return ids.length === 1 && first !== undefined ? `/workflows/${first}` : "/workflows";
}
