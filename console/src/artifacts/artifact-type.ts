/** Labels and initial sources for artifact types. */
import type { Schemas } from "../data/api.ts";

export type Artifact = Schemas["Artifact"];
export type ArtifactType = Artifact["artifactType"];

interface TypeWords {
  readonly type: ArtifactType;
  readonly label: string;
  readonly about: string;
  readonly source: string;
}

export const ARTIFACT_TYPES: readonly TypeWords[] = [
  {
    type: "data_transformer",
    label: "Data transformer",
    about: "Converts values for workflows and apps.",
    source:
      'context.log.info("called", { fields: Object.keys(input) });\nreturn { greeting: `Hello, ${input.name}` };\n',
  },
  {
    type: "workflow_node",
    label: "Custom node",
    about: "A custom step for workflows.",
    source: "return { done: true };\n",
  },
  {
    type: "connector_action",
    label: "Connector action",
    about: "A custom action for a connector.",
    source: "return { done: true };\n",
  },
  {
    type: "webhook_handler",
    label: "Webhook handler",
    about: "Responds to HTTP requests at its own URL.",
    source: "return { status: 200, body: { received: input.body } };\n",
  },
  {
    type: "scheduled_job",
    label: "Scheduled job",
    about: "Runs on a schedule.",
    source: 'context.log.info("due", { at: input.dueAt });\nreturn { done: true };\n',
  },
  {
    type: "script_module",
    label: "Script module",
    about: "Functions that scripts import by name.",
    source: "export const greet = (name) => `Hello, ${name}`;\n",
  },
];

export const wordsOf = (type: string): TypeWords | undefined =>
  ARTIFACT_TYPES.find((one) => one.type === type);

export const labelOfType = (type: string): string => wordsOf(type)?.label ?? type;

const STATES: Readonly<Record<string, { readonly state: string; readonly label: string }>> = {
  active: { state: "active", label: "Active" },
  draft: { state: "draft", label: "Draft" },
  disabled: { state: "paused", label: "Paused" },
};

export const artifactState = (status: string) => STATES[status] ?? { state: status, label: status };

/** Returns a sample input, based on the source. */
export function sampleInput(
  inputs: Readonly<Record<string, Schemas["ArtifactField"]>> | undefined,
): Readonly<Record<string, unknown>> {
  const samples: Readonly<Record<string, unknown>> = {
    string: "",
    number: 0,
    integer: 0,
    boolean: false,
    timestamp: "2026-01-01T00:00:00.000Z",
    date: "2026-01-01",
    object: {},
    array: [],
  };
  return Object.fromEntries(
    Object.entries(inputs ?? {}).map(([name, { type, values }]) => [
      name,
      type === "enum" ? (values?.[0] ?? "") : (samples[type] ?? null),
    ]),
  );
}

/** Returns the initial input; for modules, the called function and its arguments. */
export function firstInput({
  artifactType,
  definition,
  detail,
}: Pick<Artifact, "artifactType" | "definition" | "detail">): Readonly<Record<string, unknown>> {
  if (artifactType !== "script_module") return sampleInput(definition.inputs);
  const [, name = "default"] =
    /\bexport\s+(?:async\s+)?(?:function|const)\s+(\w+)/.exec(detail.scriptSource) ?? [];
  return { export: name, arguments: [] };
}

/** Parses a JSON object; undefined if the text is not one. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the displayed state of a finished execution. */
export function executionState(status: string): string {
  return status === "completed" ? "completed" : status === "aborted" ? "cancelled" : "failed";
}

/** Returns the request of a webhook handler; undefined if it was run with another input. */
export function toRequest(
  input: unknown,
): Readonly<Record<"body" | "query" | "headers", unknown>> | undefined {
  if (typeof input !== "object" || input === null || !("headers" in input)) return undefined;
  const { body, query, headers } = input as Readonly<Record<string, unknown>>;
  return { body, query, headers };
}
