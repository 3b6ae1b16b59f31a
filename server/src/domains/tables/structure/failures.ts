import { sqlStateOf } from "#kernel/db/errors.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { TABLES_MAX } from "../table.ts";

export const TableReferenced = failure(
  "table_referenced",
  409,
  "Another table has references to this table. Delete the references first, or both tables together.",
);
export const ColumnInRule = failure(
  "column_in_rule",
  409,
  "A rule of the table conflicts with this change. Change the rule too.",
);
export const TooManyTables = failure(
  "too_many_tables",
  409,
  `An environment can have at most ${TABLES_MAX} tables.`,
);
export const ColumnDataUnfit = failure(
  "column_data_unfit",
  422,
  "Existing records do not match the change.",
);
export const ColumnNotUnique = failure(
  "column_not_unique",
  409,
  "Existing records have duplicate values.",
);
export const TableWornOut = failure(
  "table_worn_out",
  409,
  "Too many columns of this table were added and deleted. Create a new table.",
);

/** The failures of every change of structure. */
export const STRUCTURE_FAILURES = [
  TableReferenced,
  ColumnInRule,
  ColumnDataUnfit,
  ColumnNotUnique,
  TableWornOut,
];

/** Converts a PostgreSQL error about some columns to a failure; undefined for a bug in this code. */
export function toStructureFailure(
  error: unknown,
  { table, fields, path }: { table: string; fields: readonly string[]; path: string },
): Failure | undefined {
  const code = sqlStateOf(error) ?? "";
  const names = `${table}.${fields.join(", ")}`;
  if (code === "54011") return new Failure(TableWornOut);
  if (code === "23505") {
    const errors = [{ path, message: "can't be unique: existing records have duplicate values" }];
    return new Failure(ColumnNotUnique, {
      detail: `Existing records have duplicate values in ${names}.`,
      errors,
    });
  }
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1];
  if (reason === undefined || fields.length === 0) return undefined;
  const message = `does not match existing data: ${reason}`;
  // The data is not quoted, because members who change tables may not be allowed to read it.
  return new Failure(ColumnDataUnfit, {
    detail: `${names} ${message}.`,
    errors: [{ path, message }],
  });
}

const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^23502$/, "some records have no value. Set a default, or make the column optional"],
  [/^23503$/, "some records refer to records that do not exist"],
  [/^23514$/, "some records have values that are not allowed"],
  [/^22/, "some records have values that can't be converted"],
  [/^54/, "some records have values that are too long for an index"],
];

const failedSteps = new WeakMap<object, number>();

/** Remembers which step an error is of. */
export function markFailedStep<E>(error: E, step: number): E {
  if (typeof error === "object" && error !== null) failedSteps.set(error, step);
  return error;
}

/** The index of the step that failed; undefined when no single one is known. */
export function failedStepOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null ? failedSteps.get(error) : undefined;
}
