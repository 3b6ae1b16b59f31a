/** A connector while the user edits it. */
import type { Schemas } from "../../data/api.ts";
import { type Fields, isFields, labelOf, type Schema, toSendable } from "../../form/index.ts";

export type ConnectorType = Schemas["ConnectorType"];
type Auth = Schemas["ConnectorAuth"];

export interface ConnectorDraft {
  readonly name: string;
  readonly config: Fields;
  readonly auth: Fields & { readonly kind: string };
}

/** Returns the schema of an authentication without its kind, which has its own control above these fields. */
export function authSchema(type: ConnectorType, kind: string): Schema {
  const found = type.auth.find((one) => one.kind === kind)?.schema as Schema | undefined;
  const { kind: _, ...fields } = found?.properties ?? {};
  const properties = Object.entries(fields).map(([name, field]) => [name, withoutKind(field)]);
  const required = found?.required?.filter((name) => name !== "kind") ?? [];
  return { ...found, properties: Object.fromEntries(properties) as typeof fields, required };
}

function withoutKind(field: Schema | boolean): Schema | boolean {
  if (typeof field === "boolean" || field.description === undefined) return field;
  const { description, ...rest } = field;
  const about = description.replace(/^Of (?:OAuth 2|(?:`\w+`(?:, | and )?)+)(?:[:;] )?/, "");
  if (about === "") return rest;
  return { ...rest, description: `${about.charAt(0).toUpperCase()}${about.slice(1)}` };
}

/** Returns the settings schema for the form: one-line texts, and labels for addresses. */
export function configSchema(type: ConnectorType): Schema {
  const schema = type.config as Schema;
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    typeof field === "object" && field.type === "string"
      ? { "x-multiline": false, title: nameField(name), ...field }
      : field,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Schema["properties"] & object };
}

const nameField = (name: string): string => labelOf(name).replace(/\burl\b/i, "URL");

/** Names of fields with credentials, which may contain the name of a secret. */
const CREDENTIAL = /^token$|password|secret|^key$|^value$|apiKey|privateKey|credential/i;

export const isCredential = (pointer: string): boolean =>
  CREDENTIAL.test(pointer.slice(pointer.lastIndexOf("/") + 1));

/** Returns the request body, without empty and hidden fields. */
export function toParts(
  type: ConnectorType,
  draft: ConnectorDraft,
): { config: Fields; auth: Auth } {
  const config = toSendable(type.config as Schema, draft.config);
  const { kind, ...rest } = draft.auth;
  const auth = toSendable(authSchema(type, kind), rest);
  return {
    config: isFields(config) ? config : {},
    // The server validates it against the schema of its kind.
    auth: { kind, ...(isFields(auth) ? auth : {}) } as Auth,
  };
}
