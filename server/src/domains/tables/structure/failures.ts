import { sqlStateOf } from "#kernel/db/errors.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { TABLES_MAX } from "../table.ts";

export const TableReferenced = failure(
  "table_referenced",
  409,
  "Another table has references to this one; drop those first, or both tables together.",
);
export const ColumnInRule = failure(
  "column_in_rule",
  409,
  "A rule of the table does not go with this change; change the rule too.",
);
export const TooManyTables = failure(
  "too_many_tables",
  409,
  `There are at most ${TABLES_MAX} tables in an environment of a workspace.`,
);
export const ColumnDataUnfit = failure(
  "column_data_unfit",
  422,
  "There are records whose data does not fit the change.",
);
export const ColumnNotUnique = failure(
  "column_not_unique",
  409,
  "There are records that agree in what is to be unique.",
);
export const TableWornOut = failure(
  "table_worn_out",
  409,
  "So many columns were added to this table and dropped again that it takes no more; make a new one.",
);

/** The failures of every change of structure. */
export const STRUCTURE_FAILURES = [
  TableReferenced,
  ColumnInRule,
  ColumnDataUnfit,
  ColumnNotUnique,
  TableWornOut,
];

/** The failure that an error of a statement on some columns means; undefined for a bug of ours. */
export function toStructureFailure(
  error: unknown,
  { table, fields, path }: { table: string; fields: readonly string[]; path: string },
): Failure | undefined {
  const code = sqlStateOf(error) ?? "";
  const names = `${table}.${fields.join(", ")}`;
  if (code === "54011") return new Failure(TableWornOut);
  if (code === "23505") {
    const errors = [{ path, message: "can't be unique: some records agree" }];
    return new Failure(ColumnNotUnique, { detail: `Some records agree in ${names}.`, errors });
  }
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1];
  if (reason === undefined || fields.length === 0) return undefined;
  const message = `does not fit the data that is there: ${reason}`;
  // The data itself is not quoted: those who change tables need not be allowed to read them.
  return new Failure(ColumnDataUnfit, {
    detail: `${names} ${message}.`,
    errors: [{ path, message }],
  });
}

const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^23502$/, "some records would have no value; give a default, or leave the column optional"],
  [/^23503$/, "some records would refer to what does not exist"],
  [/^23514$/, "some records have values that it does not allow"],
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
