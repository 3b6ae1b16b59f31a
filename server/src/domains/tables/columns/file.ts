import Type from "typebox";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import type { Column } from "../table.ts";
import { asStored, type ColumnType } from "./column-type.ts";

/** The files of one cell. */
export const FILES_MAX = 50;

const FILE_ID = new RegExp(idPattern("file"));
const SEPARATOR = ";";

/** The ids of files in the store, as a list in the record; members who may see the field may read the files. */
export const file: ColumnType = {
  summary: `The ids of up to ${FILES_MAX} files that you uploaded, each used in one record only. Everyone who can view the field can read the files`,
  options: object({
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: FILES_MAX,
        description: `Maximum number of files. Default: ${FILES_MAX}`,
      }),
    ),
  }),
  check: ({ unique }) =>
    unique ? [{ path: "/unique", message: "is not supported for this type" }] : [],
  sqlType: () => 'text[] collate "C"',
  parameterType: "text[]",
  constraint: (_, quoted) =>
    `cardinality(${quoted}) <= ${FILES_MAX} and coalesce(array_ndims(${quoted}), 1) = 1`,
  parse(value, column) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const areIds = list.every((id) => typeof id === "string" && FILE_ID.test(id));
    if (!areIds) return { error: "must be a list of ids of files" };
    if (new Set(list).size < list.length) return { error: "must contain each file once" };
    const max = maxOf(column);
    if (list.length > max) return { error: `must contain at most ${max} files` };
    return { value: list as readonly string[] };
  },
  store: (value) => value,
  show: asStored,
  kind: "texts",
  parseCell: (cell) => cell.split(SEPARATOR).map((id) => id.trim()),
  formatCell: (value) => (value as readonly string[]).join(SEPARATOR),
  index: "gin",
  convertFrom: (from, to, quoted) => (from.type === to.type ? quoted : undefined),
};

/** The ids of images, which have thumbnails. */
export const image: ColumnType = {
  ...file,
  summary: "Like `file`, but only for images (PNG, JPEG, GIF, WebP, AVIF), with thumbnails",
};

function maxOf({ options: { max } }: Column): number {
  return typeof max === "number" ? max : FILES_MAX;
}
