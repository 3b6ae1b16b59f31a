/** Validates actions before they are stored, because readers assume that they were built from a document. */
import Type from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { isBodyForm } from "./compose-body.ts";
import { isPrunedSchema } from "./prune-schema.ts";

const Texts = Type.Record(Type.String(), Type.String());
const AnyObject = Type.Record(Type.String(), Type.Unknown());
const Text = Type.String({ maxLength: 2_000 });

const StoredAction = object({
  name: Text,
  summary: Type.String(),
  input: AnyObject,
  method: Type.Enum(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"]),
  // Relative to the connector's URL: it must not change the host.
  path: Type.String({ pattern: "^(?:/(?!/)|$)" }),
  parameters: Type.Array(
    object({
      field: Text,
      name: Text,
      in: Type.Enum(["path", "query", "header", "body"]),
      style: Type.Enum(["plain", "exploded", "deep"]),
    }),
  ),
  bodyType: nullable(line(200)),
  fixed: Type.Optional(
    object({
      query: Type.Optional(Texts),
      headers: Type.Optional(Texts),
      body: Type.Optional(AnyObject),
    }),
  ),
  compose: Type.Optional(Text),
  items: Type.Optional(Text),
  paging: Type.Optional(
    Type.Union([
      object({ kind: Type.Literal("cursor"), from: Text, to: Text }),
      object({
        kind: Type.Literal("count"),
        to: Text,
        first: Type.Integer(),
        step: Type.Enum(["page", "items"]),
      }),
      object({ kind: Type.Literal("url"), from: Text }),
    ]),
  ),
  idempotent: Type.Optional(Type.Boolean()),
});
const validator = new Validator(object({ action: StoredAction }), "body");

/** The actions of connectors in an imported archive. */
export const actionDefinition: StoredDefinition = {
  table: "connector_actions",
  key: "connector_id || ' ' || name",
  columns: "action",
  check(_services, { action }): readonly FieldError[] {
    const result = validator.check({ action });
    if ("errors" in result) return result.errors;
    const { input, compose } = action as { readonly input: unknown; readonly compose?: string };
    if (!isPrunedSchema(input)) {
      return [{ path: "/action/input", message: "is not a valid action schema" }];
    }
    if (compose === undefined || isBodyForm(compose)) return [];
    return [{ path: "/action/compose", message: "is not a supported body format" }];
  },
};
