import { type ConnectorActions, type ConnectorRef } from "#domains/connectors/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, failure } from "#kernel/failure.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import type { Fields } from "../artifacts/fields.ts";
import { listOfType } from "../artifacts/store.ts";
import { runArtifact } from "./running.ts";

const ActionFailed = failure("action_failed", 502, "The artifact that carries this out failed.");

/** Artifacts of type `connector_action`, as actions of the connectors that they name. */
export const artifactActions: ConnectorActions = {
  async actionsOf(tx, connector) {
    return (await artifactsFor(tx, connector)).map(({ name, description, definition }) => ({
      name,
      summary: description === "" ? name : description,
      input: schemaOf(definition.inputs),
    }));
  },

  async invoke(outside, { caller, connector, action, input }) {
    const { workspace, environment } = caller;
    if (!workspace) throw new Error("A connector belongs to a workspace.");
    const all = await outside.db.read({ workspace: workspace.key, environment }, (tx) =>
      artifactsFor(tx, connector),
    );
    const artifact = all.find(({ name }) => name === action);
    if (!artifact)
      throw new Failure(ActionFailed, { detail: "The artifact is not there any more." });
    const order = { artifact, caller, input, triggerType: "connector", previous: null };
    const { outcome, status } = await runArtifact(outside, order);
    if (status === "completed") return outcome.output;
    const { runtimeError, abortReason } = outcome;
    throw new Failure(ActionFailed, { detail: runtimeError?.message ?? abortReason ?? status });
  },
};

/** Those that are added to this connector, by its id or for all of its type. */
async function artifactsFor(tx: Tx, { id, type }: ConnectorRef): Promise<Artifact[]> {
  const all = await listOfType(tx, "connector_action");
  return all.filter(({ detail }) => detail.connector === id || detail.connector === type);
}

/** A JSON Schema of what an artifact takes. */
function schemaOf(inputs: Fields): Record<string, unknown> {
  const entries = Object.entries(inputs);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { type, values, description }]) => [
        name,
        {
          ...TYPES[type],
          ...(values && { enum: values }),
          ...(description !== undefined && { description }),
        },
      ]),
    ),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
  };
}

const TYPES: Readonly<Record<Fields[string]["type"], Readonly<Record<string, string>>>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  timestamp: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  enum: { type: "string" },
  object: { type: "object" },
  array: { type: "array" },
  any: {},
};
