import Type, { type Static } from "typebox";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { object } from "#kernel/schema/schema.ts";
import { NewColumn } from "../columns/new-column.ts";
import { ColumnName, COLUMNS_MAX } from "../table.ts";
import type { PathOf } from "./plan-steps.ts";
import {
  type ColumnChange,
  columnChange,
  INDEXES_MAX,
  NewIndex,
  type Step,
  tableFields,
  WhichIndex,
} from "./step.ts";

/** A step, and where its parts stand in what somebody sent: the first beginning of a path that fits counts. */
export interface Part {
  readonly step: Step;
  readonly places: readonly (readonly [within: string, sent: string])[];
}

/** Steps, and where what is wrong with them stands. */
export interface Parts {
  readonly steps: readonly Step[];
  readonly at: PathOf;
}

export function partsOf(parts: readonly Part[]): Parts {
  return {
    steps: parts.map(({ step }) => step),
    at: (index, path) => {
      const places = parts[index]?.places ?? [];
      const [within, sent] = places.find(([start]) => path.startsWith(start)) ?? ["", ""];
      return sent + path.slice(within.length);
    },
  };
}

const several = { minItems: 1, maxItems: COLUMNS_MAX };
const severalIndexes = { minItems: 1, maxItems: INDEXES_MAX };

const Renames = Type.Union(
  [
    Type.Array(object({ from: ColumnName, to: ColumnName }), several),
    Type.Record(Type.String(), ColumnName, { minProperties: 1, maxProperties: COLUMNS_MAX }),
  ],
  { description: "`[{ from, to }]`, or `{ from: to }`; one after the other" },
);

/** What a PATCH of a table may say. */
export const TableChange = Type.Object(
  {
    name: Type.Optional(tableFields.name),
    description: Type.Optional(tableFields.description),
    rules: Type.Optional(tableFields.rules),
    renameColumns: Type.Optional(Renames),
    dropIndexes: Type.Optional(Type.Array(WhichIndex, severalIndexes)),
    dropColumns: Type.Optional(Type.Array(ColumnName, several)),
    alterColumns: Type.Optional(
      Type.Array(
        Type.Object(
          { name: ColumnName, ...columnChange },
          { additionalProperties: false, minProperties: 2 },
        ),
        several,
      ),
    ),
    addColumns: Type.Optional(Type.Array(NewColumn, several)),
    addIndexes: Type.Optional(Type.Array(NewIndex, severalIndexes)),
  },
  { additionalProperties: false, minProperties: 1, title: "TableChange" },
);
export type TableChange = Static<typeof TableChange>;

/**
 * A change as steps, in the order that is documented: columns go by their new names as soon as they
 * have them, and what goes makes room for what comes.
 */
export function stepsOf(table: string, change: TableChange): Parts {
  const { name, description, rules, dropIndexes, dropColumns, alterColumns } = change;
  const { addColumns, addIndexes } = change;
  const parts: Part[] = [
    ...renames(table, change.renameColumns ?? []),
    ...each(dropIndexes, (which, at): Part => ({
      step: { op: "drop_index", table, ...which },
      places: [["", `/dropIndexes/${at}`]],
    })),
    ...each(dropColumns, (column, at): Part => ({
      step: { op: "drop_column", table, column },
      places: [["/column", `/dropColumns/${at}`]],
    })),
    ...each(alterColumns, ({ name: column, ...said }, at): Part => {
      const place = `/alterColumns/${at}`;
      const step: Step = { op: "alter_column", table, column, change: said satisfies ColumnChange };
      return {
        step,
        places: [
          ["/column", `${place}/name`],
          ["/change", place],
        ],
      };
    }),
    ...each(addColumns, (column, at): Part => ({
      step: { op: "add_column", table, column },
      places: [["/column", `/addColumns/${at}`]],
    })),
    ...each(addIndexes, (index, at): Part => ({
      step: { op: "add_index", table, ...index },
      places: [["", `/addIndexes/${at}`]],
    })),
  ];
  const own = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(rules !== undefined && { rules }),
  };
  if (Object.keys(own).length > 0) {
    parts.push({ step: { op: "alter_table", table, ...own }, places: [["", ""]] });
  }
  return partsOf(parts);
}

function renames(table: string, given: Static<typeof Renames>): Part[] {
  if (Array.isArray(given)) {
    return given.map(({ from, to }, at) => ({
      step: { op: "rename_column", table, from, to },
      places: [["", `/renameColumns/${at}`]],
    }));
  }
  return Object.entries(given).map(([from, to]) => ({
    step: { op: "rename_column", table, from, to },
    // There is one place for both in this form.
    places: [
      ["/from", jsonPointer("/renameColumns", from)],
      ["/to", jsonPointer("/renameColumns", from)],
    ],
  }));
}

function each<T>(list: readonly T[] | undefined, part: (one: T, at: number) => Part): Part[] {
  return (list ?? []).map(part);
}
