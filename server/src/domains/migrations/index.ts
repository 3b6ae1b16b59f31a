import { domain } from "#kernel/domain.ts";
import { migrationEvents } from "./migration.ts";
import { migrationOperations } from "./operations.ts";
import * as permissions from "./permissions.ts";

export const migrations = domain({
  name: "migrations",
  summary: "Migrations of tables between environments.",
  tag: "tables",
  permissions: Object.values(permissions),
  events: migrationEvents,
  operations: migrationOperations,
});
