/** The schemas, failures and events of migrations. */
import Type, { type Static } from "typebox";
import type { TableStep } from "#domains/tables/index.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";

export const MIGRATIONS_MAX = 10_000;
const STEPS_MAX = 1_000;

export const MigrationId = id("mig");

/** A stored step. */
export type MigrationStep = TableStep | SqlStep;

export interface SqlStep {
  readonly op: "sql";
  readonly sql: string;
}

const StepInput = Type.Unknown({
  description:
    '`{ op, table, … }` with `op` one of `create_table` (`columns`, `indexes?`, `name?`), `alter_table` (`name?`, `description?`, `rules?`), `drop_table`, `add_column` (`column`), `rename_column` (`from`, `to`), `alter_column` (`column`, `change`), `drop_column` (`column`), `add_index` (`columns`, `unique?`, `name?`) and `drop_index` (`name` or `columns`); or `{ op: "sql", sql }`, or the SQL statement as a string',
});

const steps = Type.Array(StepInput, { minItems: 1, maxItems: STEPS_MAX });

/** The fields that users set. */
export const migrationFields = {
  name: line(200),
  up: steps,
  down: nullable(
    Type.Array(StepInput, {
      minItems: 1,
      maxItems: STEPS_MAX,
      description:
        "Steps to roll back the migration. Default: the reverse of `up`, determined when it is applied",
    }),
  ),
};

export const MIGRATION_STATUSES = ["pending", "applied", "rolled_back", "failed"] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];
const status = Type.Enum([...MIGRATION_STATUSES]);

const StatusError = Type.Object({
  step: nullable(Type.Integer({ description: "Index of the failed step in `up`" })),
  message: Type.String(),
});
export type StatusError = Static<typeof StatusError>;

const summaryFields = {
  id: MigrationId,
  number: Type.Integer({ description: "Position. Migrations are applied in this order" }),
  name: migrationFields.name,
  checksum: Type.String({ description: "Hash of `up` and `down`" }),
};

/** A migration in lists. */
export const MigrationSummary = Type.Object(
  {
    ...summaryFields,
    status: Type.Enum([...MIGRATION_STATUSES], {
      description: "Status in the environment of the request",
    }),
    statuses: Type.Object({ production: status, staging: status, development: status }),
    statusChangedAt: nullable(Time),
    error: nullable(StatusError),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "MigrationSummary" },
);

export const Migration = Type.Object(
  {
    ...MigrationSummary.properties,
    up: Type.Array(StepInput),
    down: nullable(Type.Array(StepInput)),
    statements: Type.Array(Type.String(), {
      description: "Steps that ran when it was last applied or rolled back in this environment",
    }),
  },
  { title: "Migration" },
);
interface StoredSteps {
  readonly up: MigrationStep[];
  readonly down: MigrationStep[] | null;
  readonly revision: number;
}
export type Migration = Omit<Static<typeof Migration>, "up" | "down"> & StoredSteps;

/** A migration and the result of applying it or rolling it back. */
export const MigrationRun = Type.Object(
  {
    ...Migration.properties,
    dryRun: Type.Boolean({ description: "Whether everything was rolled back" }),
    recordsChanged: Type.Integer({ description: "Number of records changed by SQL statements" }),
  },
  { title: "MigrationRun" },
);
export type MigrationRun = Omit<Static<typeof MigrationRun>, "up" | "down"> & StoredSteps;

/** A migration in events. */
const MigrationData = Type.Object(
  { ...summaryFields, steps: Type.Integer({ description: "Number of steps in `up`" }) },
  { title: "MigrationData" },
);

export const AppliedSomewhere = failure(
  "migration_applied",
  409,
  "The migration is applied in an environment. Roll it back there first.",
);
export const AlreadyApplied = failure(
  "migration_already_applied",
  409,
  "The migration is already applied in this environment.",
);
export const OutOfOrder = failure(
  "migration_out_of_order",
  409,
  "Migrations must be applied in order.",
);
export const NotApplied = failure(
  "migration_not_applied",
  409,
  "The migration is not applied in this environment.",
);
export const NotNewest = failure(
  "migration_not_newest",
  409,
  "Only the newest applied migration can be rolled back.",
);
export const Irreversible = failure(
  "migration_irreversible",
  409,
  "The migration has statements that change records, but no `down` steps.",
);
export const Changed = failure(
  "migration_changed",
  409,
  "The migration was changed by another request.",
);
export const TooManyMigrations = failure(
  "too_many_migrations",
  409,
  `A workspace can have at most ${MIGRATIONS_MAX} migrations.`,
);
export const StepFailed = failure(
  "migration_failed",
  422,
  "A step of the migration failed. Everything was rolled back.",
);

const resource = "migration";

export const MigrationCreated = event("migration.created", {
  resource,
  summary: "A migration was created.",
  data: MigrationData,
});

export const MigrationUpdated = changeEvent("migration.updated", {
  resource,
  summary: "A migration was updated.",
  data: MigrationData,
});

export const MigrationDeleted = event("migration.deleted", {
  resource,
  summary: "A migration was deleted.",
  data: MigrationData,
});

const MigrationOutcome = Type.Object({
  ...MigrationData.properties,
  statements: Type.Integer({ description: "Number of steps that ran" }),
  recordsChanged: Type.Integer({
    description:
      "Number of records changed by SQL statements. No events are appended for these records",
  }),
});

export const MigrationApplied = event("migration.applied", {
  resource,
  summary: "A migration was applied in the environment of the event.",
  data: MigrationOutcome,
});

export const MigrationRolledBack = event("migration.rolled_back", {
  resource,
  summary: "A migration was rolled back in the environment of the event.",
  data: MigrationOutcome,
});

export const MigrationFailed = event("migration.failed", {
  resource,
  summary: "A migration failed to be applied or rolled back in the environment of the event.",
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
