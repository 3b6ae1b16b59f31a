import { type Client, pagesOf } from "@millrace/client";
import { CommandError } from "./usage.ts";

/** A workflow by its id or unique name. */
export async function findWorkflow(client: Client, name: string): Promise<{ readonly id: string }> {
  if (/^wf_[0-9a-z]{26}$/.test(name)) return { id: name };
  const found: { readonly id: string }[] = [];
  for await (const workflow of pagesOf((page) =>
    client.workflows.list({ query: { ...page, q: name } }),
  )) {
    if (workflow.name === name && workflow.status !== "archived") found.push({ id: workflow.id });
  }
  const [first, second] = found;
  if (!first) throw new CommandError(`Workflow ${name} not found.`);
  if (second) throw new CommandError(`Several workflows have the name ${name}. Use the id.`);
  return first;
}
