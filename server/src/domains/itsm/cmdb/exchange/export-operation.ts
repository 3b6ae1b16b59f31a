import Type from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { escapeFormula, formatCsvLine, Formulas } from "#kernel/csv/csv-line.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { SqlParameters, queryRows } from "#kernel/db/statement.ts";
import {
  jsonListFormat,
  type ListFileFormat,
  type PageSource,
  listFileChunks,
} from "#kernel/list/list-file.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, download } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { isObject, type ObjectSchema } from "../classes/schema.ts";
import { listAll as allClasses, readSchemas } from "../classes/store.ts";
import { type Item, itemFields } from "../items/item.ts";
import { itemFilters } from "../items/operations.ts";
import { ITEM_COLUMNS, toItem } from "../items/store.ts";
import { CmdbRead } from "../permissions.ts";
import { formatCell } from "./cell.ts";

const PAGE_ITEMS = 500;
/** With more attributes, all of them are exported in one column. */
const ATTRIBUTE_COLUMNS_MAX = 200;

interface ItemFilter {
  readonly class?: string | undefined;
  readonly status?: string | undefined;
}

export const exportItems = query({
  id: "cmdb.export",
  route: "GET /api/v1/cmdb/items/export",
  summary: "Export configuration items as a file",
  description:
    "Exports all items in the order of creation, as a stream. In `csv`, each attribute has a column `attributes.<name>`; you can import the file again. Text that a spreadsheet would read as a formula gets a `'` in front, which an import removes. `formulas=raw` leaves such text unchanged.",
  permission: CmdbRead,
  query: object({
    format: Type.Enum(["csv", "json"], { default: "csv" }),
    formulas: Formulas,
    ...itemFilters,
  }),
  response: download("text/csv, application/json"),
  example: { query: { format: "csv", formulas: "escaped", class: "server" } },
  async prepare(platform, { query: { format, formulas, ...filter } }, caller) {
    const partition = partitionOfCaller(caller);
    const fileFormat =
      format === "json"
        ? jsonListFormat(({ no: _, revision: __, ...item }: ListedItem) => item)
        : await platform.db.read(partition, (tx) => csvFormat(tx, filter, formulas));
    const pages: PageSource<ListedItem> = {
      sizes: [PAGE_ITEMS],
      read: (last) => platform.db.read(partition, (tx) => readPage(tx, filter, last?.no ?? 0)),
    };
    const file: Download = {
      mediaType: fileFormat.mediaType,
      fileName: `items.${format}`,
      chunks: listFileChunks(fileFormat, pages, platform.shutdown),
    };
    return file;
  },
  run: async (_ctx, _input, prepared) => prepared,
});

const COLUMNS = ["class", "key", "name", "status", "description", "ownerId", "teamId"] as const;

async function csvFormat(
  tx: Tx,
  filter: ItemFilter,
  formulas: Formulas,
): Promise<ListFileFormat<ListedItem>> {
  const names = await attributeNames(tx, filter);
  const classes = (await allClasses(tx)).map(({ name }) => name);
  const schemas = await readSchemas(tx, classes);
  const escape = (cell: string | null) =>
    formulas === "escaped" && cell !== null ? escapeFormula(cell) : cell;
  const attributesOf = (item: Item): (string | null)[] => {
    if (!names) return [JSON.stringify(item.attributes)];
    const properties = classProperties(schemas, item.class);
    const { attributes } = item;
    return names.map((name) =>
      formatCell(
        Object.hasOwn(attributes, name) ? attributes[name] : undefined,
        Object.hasOwn(properties, name) ? properties[name] : undefined,
      ),
    );
  };
  const header = names ? names.map((name) => `attributes.${name}`) : ["attributes"];
  return {
    mediaType: "text/csv",
    begin: formatCsvLine(["id", ...COLUMNS, ...header]),
    line: (item) => {
      const own = [item.id, ...COLUMNS.map((column) => item[column])];
      return formatCsvLine([...own, ...attributesOf(item)].map(escape));
    },
    end: "",
  };
}

function classProperties(schemas: ReadonlyMap<string, ObjectSchema>, itemClass: string) {
  const { properties } = schemas.get(itemClass) ?? {};
  return isObject(properties) ? properties : {};
}

/** Lists the names of all attributes. Undefined if there are too many. */
async function attributeNames(tx: Tx, filter: ItemFilter): Promise<string[] | undefined> {
  const { where, values } = filterSql(filter);
  const text = `
    select distinct jsonb_object_keys(attributes) as name from cmdb_items where ${where}
     limit ${ATTRIBUTE_COLUMNS_MAX + 1}`;
  const names = (await queryRows(tx, text, values)).map(({ name }) => String(name));
  return names.length > ATTRIBUTE_COLUMNS_MAX ? undefined : names.toSorted();
}

function filterSql(filter: ItemFilter) {
  const parameters = new SqlParameters();
  const parts = Object.entries(filter)
    .filter(([column, value]) => column in itemFields && value !== undefined)
    .map(([column, value]) => `${column} = ${parameters.add(value, "text")}`);
  return { where: ["true", ...parts].join(" and "), values: parameters.values };
}

type ListedItem = Item & { readonly no: number };

async function readPage(tx: Tx, filter: ItemFilter, after: number): Promise<ListedItem[]> {
  const { where, values } = filterSql(filter);
  const text = `
    select no, ${ITEM_COLUMNS} from cmdb_items where ${where} and no > $${values.length + 1}::bigint
     order by no limit ${PAGE_ITEMS}`;
  const rows = await queryRows(tx, text, [...values, after]);
  return rows.map(({ no, ...row }) => ({ ...toItem(row), no: Number(no) }));
}
