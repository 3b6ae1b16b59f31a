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

/** An export comes from anywhere, and its code is read: that must not block the event loop. */
const threads = new TaskThreads<ImportTask, ImportResult>({
  program: new URL("./import-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 5_000,
  isStoppable: true,
});

const NodeReport = Type.Object(
  {
    node: Type.String({ description: "Its name in n8n" }),
    type: Type.String({ description: "Its type in n8n" }),
    stepId: Type.String({
      description: "The step that has its items; `trigger` of one that starts",
    }),
    status: Type.Enum(["converted", "approximated", "placeholder"]),
    reasons: Type.Array(Type.String(), {
      description: "In which way it differs, or why a step stands for it that fails",
    }),
  },
  { title: "ImportedNode" },
);

const ImportBinding = Type.Object(
  {
    id: Type.String({ description: "To be named in `bindings` of the next request" }),
    kind: Type.Enum(["connector", "workflow", "table", "secret", "text"], {
      description: "`text` for what the export does not say, such as the name of a column",
    }),
    title: Type.String(),
    usedBy: Type.Array(Type.String(), { description: "The names of nodes" }),
  },
  { title: "ImportBinding" },
);

export const importWorkflow = query({
  id: "workflows.import",
  route: "POST /api/v1/workflows/import",
  summary: "Convert a workflow of another product",
  description:
    "Saves nothing: it answers with one definition with all triggers, what became of each node, and the bindings that " +
    "only a person can choose. Send the choices as `bindings`, then save the definitions. A node that has no " +
    "counterpart becomes a step that fails as soon as an item comes to it (`not_imported`).",
  permission: WorkflowsWrite,
  environmentScoped: false,
  body: object({
    format: Type.Enum(["n8n"]),
    workflow: Type.Unknown({ description: "The export: `{ name, nodes, connections }`" }),
    bindings: Type.Optional(
      Type.Record(Type.String(), line(100, "The id of a connector or a workflow, or a text"), {
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
    const detail = result?.refusal ?? "It takes too long to convert.";
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
