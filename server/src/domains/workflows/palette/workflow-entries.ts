import { subworkflow } from "../definition/index.ts";
import { WorkflowsRead } from "../permissions.ts";
import * as store from "../store.ts";
import type { PaletteSource } from "./palette.ts";

const WORKFLOWS_MAX = 500;

/** Workflows as subworkflow steps, newest first. */
export const workflowEntries: PaletteSource = {
  permission: WorkflowsRead,
  async list({ tx }, { text, limit }) {
    const found = await store.listNames(tx, {
      q: text === "" ? undefined : text,
      limit: Math.min(limit, WORKFLOWS_MAX),
    });
    return found.map(({ id, name, description }) => ({
      key: `workflow:${id}`,
      kind: "workflow" as const,
      type: subworkflow.type,
      title: name,
      group: "Workflows" as const,
      icon: subworkflow.form.icon,
      summary: description ?? "Runs this workflow and waits for it",
      of: { id, name },
      config: { workflowId: id },
    }));
  },
};
