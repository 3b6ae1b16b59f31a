import Type from "typebox";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { AppData } from "../definition/app.ts";
import { type Definition, definitionErrors } from "../definition/check-definition.ts";
import { Snapshot } from "./deployment.ts";

const draft = new Validator(Type.Pick(AppData, ["theme", "pages", "dataSources"]), "body");
const snapshot = new Validator(Snapshot, "body");

/** Apps as drafts, and as deployed. */
export const appDefinitions: readonly StoredDefinition[] = [
  {
    table: "apps",
    columns: `theme, pages, data_sources as "dataSources"`,
    check: (_services, { theme, pages, dataSources }) =>
      findErrors(draft, { theme, pages, dataSources }),
  },
  {
    table: "app_deployments",
    columns: "snapshot",
    check: (_services, row) => findErrors(snapshot, row["snapshot"]),
  },
];

function findErrors(validator: Validator, value: unknown): readonly FieldError[] {
  const result = validator.check(value);
  // References can only be checked in a valid definition.
  return "errors" in result ? result.errors : definitionErrors(value as Definition);
}
