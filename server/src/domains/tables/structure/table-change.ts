import Type, { type Static } from "typebox";
import type { CallEffect } from "#kernel/access/call-effect.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { object } from "#kernel/schema/schema.ts";
import { ColumnInput } from "../columns/new-column.ts";
import { nameColumns } from "../columns/naming/column-title.ts";
import { type Column, ColumnName, COLUMNS_MAX } from "../table.ts";
import type { StepPath } from "./plan-steps.ts";
import {
  type ColumnChange,
  columnChangeFields,
  INDEXES_MAX,
  NewIndex,
  type TableStep,
  tableFields,
  IndexSelector,
} from "./step.ts";

/** A step with the request paths of its fields. The first matching prefix applies. */
export interface LocatedStep {
  readonly step: TableStep;
  readonly paths: readonly (readonly [within: string, sent: string])[];
}

export interface LocatedSteps {
  readonly steps: readonly TableStep[];
  readonly at: StepPath;
}

export function locateSteps(located: readonly LocatedStep[]): LocatedSteps {
  return {
    steps: located.map(({ step }) => step),
    at: (index, path) => {
      const paths = located[index]?.paths ?? [];
      const [stepPath, requestPath] = paths.find(([start]) => path.startsWith(start)) ?? ["", ""];
      return requestPath + path.slice(stepPath.length);
    },
  };
}

const columnsBound = { minItems: 1, maxItems: COLUMNS_MAX };
const indexesBound = { minItems: 1, maxItems: INDEXES_MAX };

const Renames = Type.Union(
  [
    Type.Array(object({ from: ColumnName, to: ColumnName }), columnsBound),
    Type.Record(Type.String(), ColumnName, { minProperties: 1, maxProperties: COLUMNS_MAX }),
  ],
  { description: "`[{ from, to }]`, or `{ from: to }`; applied in order" },
);

/** The body of PATCH. */
export const TableChange = Type.Object(
  {
    name: Type.Optional(tableFields.name),
    description: Type.Optional(tableFields.description),
    rules: Type.Optional(tableFields.rules),
    renameColumns: Type.Optional(Renames),
    dropIndexes: Type.Optional(Type.Array(IndexSelector, indexesBound)),
    dropColumns: Type.Optional(Type.Array(ColumnName, columnsBound)),
    alterColumns: Type.Optional(
      Type.Array(
        Type.Object(
          { name: ColumnName, ...columnChangeFields },
          { additionalProperties: false, minProperties: 2 },
        ),
        columnsBound,
      ),
    ),
    addColumns: Type.Optional(Type.Array(ColumnInput, columnsBound)),
    addIndexes: Type.Optional(Type.Array(NewIndex, indexesBound)),
  },
  { additionalProperties: false, minProperties: 1, title: "TableChange" },
);
export type TableChange = Static<typeof TableChange>;

/** Settings of a column whose change keeps all data and all consumers. */
const HARMLESS_SETTINGS: ReadonlySet<string> = new Set([
  "name",
  "title",
  "description",
  "default",
  "indexed",
  "required",
]);

/** The effect of a change: drops and conversions lose data, rules are permissions, a rename breaks consumers. */
export function effectOfChange(change: TableChange): CallEffect {
  const { rules, dropColumns, dropIndexes, alterColumns = [], renameColumns } = change;
  if (rules || dropColumns || dropIndexes) return "drastic";
  const settings = alterColumns.flatMap((column) => Object.keys(column));
  if (!settings.every((setting) => HARMLESS_SETTINGS.has(setting))) return "drastic";
  return renameColumns ? "live" : "ordinary";
}

/** A change as steps, in the documented order: later steps use new column names, and drops precede additions. */
export function changeToSteps(
  { slug: table, columns }: { readonly slug: string; readonly columns: readonly Column[] },
  change: TableChange,
): LocatedSteps {
  const { name, description, rules, dropIndexes, dropColumns, alterColumns } = change;
  const { addIndexes } = change;
  const { columns: addColumns, errors } = nameColumns(change.addColumns ?? [], {
    path: "/addColumns",
    taken: namesAfter(columns, change),
  });
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  const located: LocatedStep[] = [
    ...renameSteps(table, change.renameColumns ?? []),
    ...mapSteps(dropIndexes, (which, at): LocatedStep => ({
      step: { op: "drop_index", table, ...which },
      paths: [["", `/dropIndexes/${at}`]],
    })),
    ...mapSteps(dropColumns, (column, at): LocatedStep => ({
      step: { op: "drop_column", table, column },
      paths: [["/column", `/dropColumns/${at}`]],
    })),
    ...mapSteps(alterColumns, ({ name: column, ...settings }, at): LocatedStep => {
      const path = `/alterColumns/${at}`;
      const step: TableStep = {
        op: "alter_column",
        table,
        column,
        change: settings satisfies ColumnChange,
      };
      return {
        step,
        paths: [
          ["/column", `${path}/name`],
          ["/change", path],
        ],
      };
    }),
    ...mapSteps(addColumns, (column, at): LocatedStep => ({
      step: { op: "add_column", table, column },
      paths: [["/column", `/addColumns/${at}`]],
    })),
    ...mapSteps(addIndexes, (index, at): LocatedStep => ({
      step: { op: "add_index", table, ...index },
      paths: [["", `/addIndexes/${at}`]],
    })),
  ];
  const own = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(rules !== undefined && { rules }),
  };
  if (Object.keys(own).length > 0) {
    located.push({ step: { op: "alter_table", table, ...own }, paths: [["", ""]] });
  }
  return locateSteps(located);
}

/** The column names at the time when new ones are added. */
function namesAfter(
  columns: readonly Column[],
  { renameColumns = [], dropColumns = [] }: TableChange,
): ReadonlySet<string> {
  const names = new Set(columns.map(({ name }) => name));
  const renames = Array.isArray(renameColumns)
    ? renameColumns.map(({ from, to }) => [from, to] as const)
    : Object.entries(renameColumns);
  for (const [from, to] of renames) {
    names.delete(from);
    names.add(to);
  }
  for (const name of dropColumns) names.delete(name);
  return names;
}

function renameSteps(table: string, renames: Static<typeof Renames>): LocatedStep[] {
  if (Array.isArray(renames)) {
    return renames.map(({ from, to }, at) => ({
      step: { op: "rename_column", table, from, to },
      paths: [["", `/renameColumns/${at}`]],
    }));
  }
  return Object.entries(renames).map(([from, to]) => ({
    step: { op: "rename_column", table, from, to },
    // In this form both have the same path.
    paths: [
      ["/from", jsonPointer("/renameColumns", from)],
      ["/to", jsonPointer("/renameColumns", from)],
    ],
  }));
}

function mapSteps<T>(
  list: readonly T[] | undefined,
  part: (item: T, at: number) => LocatedStep,
): LocatedStep[] {
  return (list ?? []).map(part);
}
