import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { MigrationData } from "#domains/migrations/migration.ts";

const resource = "migration";

export const MigrationCreated = event("migration.created", {
  resource,
  summary: "A migration was written down.",
  data: MigrationData,
});

export const MigrationUpdated = changeEvent("migration.updated", {
  resource,
  summary: "A migration that is applied nowhere was changed.",
  data: MigrationData,
});

export const MigrationDeleted = event("migration.deleted", {
  resource,
  summary: "A migration that is applied nowhere was deleted.",
  data: MigrationData,
});

const Outcome = Type.Object({
  ...MigrationData.properties,
  statements: Type.Integer({ description: "How many were run" }),
  recordsChanged: Type.Integer({
    description: "By statements of SQL; records have no events of it",
  }),
});

export const MigrationApplied = event("migration.applied", {
  resource,
  summary: "A migration was applied in the environment of the event.",
  data: Outcome,
});

export const MigrationRolledBack = event("migration.rolled_back", {
  resource,
  summary: "A migration was rolled back in the environment of the event.",
  data: Outcome,
});

export const MigrationFailed = event("migration.failed", {
  resource,
  summary: "A migration could not be applied or rolled back in the environment of the event.",
  data: Type.Object({
    ...MigrationData.properties,
    direction: Type.Enum(["up", "down"]),
    error: Type.Object({ step: nullable(Type.Integer()), message: Type.String() }),
  }),
});

export const migrationEvents = [
  MigrationCreated,
  MigrationUpdated,
  MigrationDeleted,
  MigrationApplied,
  MigrationRolledBack,
  MigrationFailed,
];
