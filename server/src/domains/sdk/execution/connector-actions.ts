import { type ConnectorActions, type ConnectorRef } from "#domains/connectors/index.ts";
import { Failure, failure, Invalid } from "#kernel/operation/failure.ts";
import type { Fields } from "../artifacts/fields.ts";
import { findAction, listActions } from "../artifacts/store.ts";
import { runArtifact } from "./run-artifact.ts";

const ActionFailed = failure("action_failed", 502, "The artifact of this action failed.");

/** Artifacts of type `connector_action` as actions of their connectors. */
export const artifactActions: ConnectorActions = {
  async actionsOf(tx, connector) {
    return (await listActions(tx, namesOf(connector))).map(({ name, description, inputs }) => ({
      name,
      summary: description === "" ? name : description,
      input: toJsonSchema(inputs),
    }));
  },

  async invoke(platform, { caller, connector, action, input }) {
    const { workspace, environment } = caller;
    if (!workspace) throw new Error("A connector belongs to a workspace.");
    const artifact = await platform.db.read({ workspace: workspace.key, environment }, (tx) =>
      findAction(tx, namesOf(connector), action),
    );
    if (!artifact) throw new Failure(ActionFailed, { detail: "The artifact was deleted." });
    const request = { artifact, caller, input, triggerType: "connector", previous: null };
    const { outcome, status } = await runArtifact(platform, request).catch((error: unknown) => {
      throw relocateErrors(error);
    });
    if (status === "completed") return outcome.output;
    const { runtimeError, abortReason } = outcome;
    throw new Failure(ActionFailed, { detail: runtimeError?.message ?? abortReason ?? status });
  },
};

/** An artifact references a connector by id, or all connectors of a type. */
function namesOf({ id, type }: ConnectorRef): readonly string[] {
  return [id, type];
}

/** Maps the paths of field errors to the input of the connector's action. */
function relocateErrors(error: unknown): unknown {
  if (!(error instanceof Failure) || error.type !== Invalid) return error;
  const { particulars } = error;
  const errors = particulars.errors?.map((fieldError) => ({
    ...fieldError,
    path: fieldError.path.replace(/^\/inputPayload/, "/input"),
  }));
  return new Failure(Invalid, { ...particulars, ...(errors && { errors }) });
}

/** Converts an artifact's inputs to a JSON Schema. */
function toJsonSchema(inputs: Fields): Record<string, unknown> {
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
