import Type from "typebox";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { TaskThreads } from "#kernel/work/task-threads.ts";
import { Definition } from "../definition/index.ts";
import { WorkflowsWrite } from "../permissions.ts";
import type { ImportResult, ImportTask } from "./import-thread.ts";

const BODY_BYTES_MAX = 4 * 1024 * 1024;

/** Exports are untrusted and their code is parsed, which must not block the event loop. */
const threads = new TaskThreads<ImportTask, ImportResult>({
  program: new URL("./import-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 5_000,
  isStoppable: true,
});

const NodeReport = Type.Object(
  {
    node: Type.String({ description: "Name of the node in n8n" }),
    type: Type.String({ description: "Type of the node in n8n" }),
    stepId: Type.String({
      description: "The step that contains its items; `trigger` for a trigger",
    }),
    status: Type.Enum(["converted", "approximated", "placeholder"]),
    reasons: Type.Array(Type.String(), {
      description: "Differences to n8n, or the reason why it was replaced by a failing step",
    }),
  },
  { title: "ImportedNode" },
);

const ImportBinding = Type.Object(
  {
    id: Type.String({ description: "Key for `bindings` in the next request" }),
    kind: Type.Enum(["connector", "workflow", "table", "secret", "text"], {
      description:
        "`text` for values that the export does not contain, such as the name of a column",
    }),
    title: Type.String(),
    usedBy: Type.Array(Type.String(), { description: "Names of the nodes" }),
  },
  { title: "ImportBinding" },
);

export const importWorkflow = query({
  id: "workflows.import",
  route: "POST /api/v1/workflows/import",
  summary: "Convert a workflow of another product",
  description:
    "Saves nothing. Returns a definition with all triggers, the result for each node, and the bindings that you must choose. Send your choices as `bindings`, then create the workflow. A node that can't be converted becomes a step that fails when it receives an item (`not_imported`).",
  permission: WorkflowsWrite,
  environmentScoped: false,
  body: object({
    format: Type.Enum(["n8n"]),
    workflow: Type.Unknown({ description: "The export: `{ name, nodes, connections }`" }),
    bindings: Type.Optional(
      Type.Record(Type.String(), line(100, "Ids of connectors or workflows, or texts"), {
        maxProperties: 200,
      }),
    ),
  }),
  bodyBytesMax: BODY_BYTES_MAX,
  response: item(
    Type.Object(
      {
        workflows: Type.Array(
          Type.Object({ definition: Definition, report: Type.Array(NodeReport) }),
        ),
        bindings: Type.Array(ImportBinding),
        counts: Type.Object({
          converted: Type.Integer(),
          approximated: Type.Integer(),
          placeholder: Type.Integer(),
        }),
      },
      { title: "WorkflowImport" },
    ),
  ),
  example: {
    body: {
      format: "n8n",
      workflow: {
        name: "Greet",
        nodes: [
          { name: "Start", type: "n8n-nodes-base.manualTrigger", parameters: {} },
          { name: "Wait", type: "n8n-nodes-base.noOp", parameters: {} },
        ],
        connections: { Start: { main: [[{ node: "Wait", type: "main", index: 0 }]] } },
      },
    },
  },
  async prepare(_platform, { body: { workflow, bindings: chosen = {} } }, caller) {
    const result = await threads.run(caller.workspace?.key ?? "", { workflow, chosen });
    if (result && "imported" in result) return result.imported;
    const detail = result?.refusal ?? "Converting the workflow takes too long.";
    throw new Failure(Invalid, { detail });
  },
  async run(_ctx, _input, { workflows, bindings }) {
    const all = workflows.flatMap(({ report }) => report);
    const countOf = (status: string): number => all.filter((one) => one.status === status).length;
    return {
      workflows: workflows.map(({ definition, report }) => ({
        definition,
        report: report.map((one) => ({ ...one, reasons: [...one.reasons] })),
      })),
      bindings: bindings.map((one) => ({ ...one, usedBy: [...one.usedBy] })),
      counts: {
        converted: countOf("converted"),
        approximated: countOf("approximated"),
        placeholder: countOf("placeholder"),
      },
    };
  },
});
