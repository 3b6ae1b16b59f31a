import Type from "typebox";
import { packContent } from "#kernel/contributions/pack-content.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { toWorkflowInput, WholeDefinition } from "./workflow-input.ts";
import { WorkflowsWrite } from "./permissions.ts";
import * as service from "./service.ts";
import { parseExpressions } from "./checks/check-workflow.ts";
import * as store from "./store.ts";

const REFERENCE = /"pack:workflows\/((?:[^"\\]|\\.)*)"/g;

/** A definition in a pack. Workflow ids can be names of workflows in the pack. */
export const PackDefinition = object(
  {
    ...WholeDefinition.properties,
    errorWorkflowId: Type.Optional(line(300, "Workflow to start with the error when a run fails")),
  },
  { title: "PackWorkflowDefinition" },
);

/** Workflows of packs are created as drafts. They run only after a deployment. */
export const workflowContent = packContent({
  kind: "workflows",
  // Their nodes can reference any of these.
  after: ["roles", "variables", "tables", "queries", "artifacts", "connectors"],
  permission: WorkflowsWrite,
  environmentScoped: false,
  schema: object(
    { key: line(200, "Key of the workflow in the pack"), definition: PackDefinition },
    { title: "PackWorkflow" },
  ),
  keyOf: ({ key }) => key,
  prepare: async (platform, { definition }) => {
    await parseExpressions(platform, definition);
  },
  // Names of workflows need not be unique.
  find: async () => undefined,
  async read({ tx }, id) {
    const { status, definition } = await store.get(tx, id);
    return status === "archived" ? undefined : definition;
  },
  create: async (ctx, { definition }) =>
    (await service.create(ctx, toWorkflowInput(definition))).id,
  async replace(ctx, id, { definition }) {
    await service.save(ctx, id, toWorkflowInput(definition), "replace");
    return id;
  },
  remove: service.archive,
  source: {
    async list({ tx }, limit) {
      const open = tx.selectFrom("workflows").select("id").where("archived_at", "is", null);
      return (await open.orderBy("id").limit(limit).execute()).map(({ id }) => id);
    },
    async toContent({ tx }, id) {
      const { definition } = await store.get(tx, id);
      return { key: definition.name, definition };
    },
    needs: ({ definition }) =>
      [...JSON.stringify(definition).matchAll(REFERENCE)].map(
        ([, key]) => JSON.parse(`"${key}"`) as string,
      ),
    async find({ tx }, { key }) {
      const ids = await store.findIdsByName(tx, key);
      // An ambiguous name matches nothing.
      return ids.length === 1 ? ids[0] : undefined;
    },
  },
});
