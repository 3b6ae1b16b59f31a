import { Value } from "typebox/value";
import type { TObject } from "typebox";
import type { CheckSource, ReferenceCheck } from "#domains/workflows/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { valueErrors } from "#kernel/schema/validator.ts";
import { findPreset } from "../catalogue/catalogue.ts";
import { inputSchemaOf } from "../catalogue/input-type.ts";
import { hasAction } from "../invocation/invoke.ts";
import { connectorStore, type StoredConnector } from "../store.ts";

type Config = Readonly<Record<string, unknown>>;

/** Finds the triggers that name a missing connector, event or action. */
export const checkConnectorTriggers: ReferenceCheck = async (source, { triggers }) => {
  const errors: FieldError[] = [];
  for (const { config, path } of triggers) {
    if (config["type"] !== "connector" || typeof config["connectorId"] !== "string") continue;
    const found = await triggerErrors(source, config, config["connectorId"]);
    errors.push(...found.map((error) => ({ ...error, path: path + error.path })));
  }
  return { errors };
};

async function triggerErrors(
  { tx, services }: CheckSource,
  config: Config,
  connectorId: string,
): Promise<FieldError[]> {
  const connector = await connectorStore.find(tx, connectorId);
  if (!connector)
    return [{ path: "/connectorId", message: "is not a connector of this workspace" }];
  const { action } = Object(config["poll"]) as { readonly action?: unknown };
  if (typeof action !== "string") return eventErrors(connector, config);
  if (await hasAction(tx, services, connector, action)) return [];
  return [{ path: "/poll/action", message: `is not an action of ${connector.name}` }];
}

function eventErrors(
  { type, config: { preset }, name }: StoredConnector,
  { event, arguments: given = {} }: Config,
): FieldError[] {
  const known = type === "preset" ? findPreset(String(preset)) : undefined;
  const trigger = known?.triggers?.find(({ id }) => id === event);
  if (!trigger) return [{ path: "/event", message: `is not a trigger of ${name}` }];
  const schema = inputSchemaOf(trigger.input ?? {}) as unknown as TObject;
  if (Value.Check(schema, given)) return [];
  return valueErrors(schema, given).map(({ path, message }) => ({
    path: `/arguments${path}`,
    message,
  }));
}
