/** Converts between the API format and the edited definition. */
import type { Input, Schemas } from "../../../data/api.ts";
import type { Definition } from "../../graph/graph.ts";
import { type Edit, type History } from "../../graph/history.ts";

type Workflow = Schemas["Workflow"] | Schemas["WorkflowDefinition"];

const SETTINGS = [
  "description",
  "note",
  "tags",
  "maxConcurrency",
  "concurrencyKey",
  "timeoutMs",
  "errorWorkflowId",
  "triggers",
] as const;

/** Returns the editable workflow fields, without address, versions and people. */
export function toDefinition(workflow: Workflow): Definition {
  const { name, nodes, edges } = workflow;
  const settings = SETTINGS.flatMap((key) =>
    workflow[key] === undefined ? [] : [[key, workflow[key]] as const],
  );
  const triggers = workflow.triggers && { triggers: workflow.triggers.map(withoutAddress) };
  return {
    name,
    trigger: withoutAddress(workflow.trigger),
    ...Object.fromEntries(settings),
    ...triggers,
    nodes,
    edges,
  };
}

/** Removes the computed address from a trigger: versions do not contain it. */
function withoutAddress(shown: Workflow["trigger"]): Definition["trigger"] {
  const { url: _url, ...trigger } = shown as Schemas["WorkflowTriggerWithUrl"];
  return trigger;
}

type Change = Input<"workflows.update">["body"];

/** Builds a change that sets every field; removed settings are sent as null. */
export function toChange(definition: Definition, changeSummary: string): Change {
  const settings = SETTINGS.map((key) => [key, definition[key] ?? null] as const);
  const { name, trigger, nodes, edges } = definition;
  return {
    name,
    trigger,
    nodes,
    edges,
    ...Object.fromEntries(settings),
    ...(changeSummary !== "" && { changeSummary }),
  };
}

const SUMMARY_MAX = 4;

/** Summarises the edits since the last save, as the default change summary of a version. */
export function summariseEdits({ edits, at, base }: History): string {
  const done: Edit[] = [];
  for (let n = at; n > 0 && edits[n]?.after !== base; n -= 1) {
    const edit = edits[n];
    if (edit) done.unshift(edit);
  }
  const labels = [...new Set(done.map(({ label }) => label))];
  const rest = labels.length - SUMMARY_MAX;
  return [...labels.slice(0, SUMMARY_MAX), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
