import { domain } from "#kernel/domain.ts";
import { migrationEvents } from "./migration.ts";
import { migrationOperations } from "./operations.ts";
import * as permissions from "./permissions.ts";

export const migrations = domain({
  name: "migrations",
  summary: "Changes of tables, written down and applied in one environment after the other.",
  tag: "tables",
  permissions: Object.values(permissions),
  events: migrationEvents,
  operations: migrationOperations,
});
