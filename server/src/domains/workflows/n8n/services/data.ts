/** Services that keep rows: Airtable, Supabase, NocoDB, Baserow. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { type ParameterReader, type ServiceTable } from "./service-table.ts";

/** The fields that a node writes: those it names, or all of the item. */
export const columns = (read: ParameterReader): string => {
  const mode = toText(read.raw("columns.mappingMode"), "defineBelow");
  read.raw("columns");
  if (mode === "autoMapInputData") return "$json";
  return toCode(toObject(read.raw("columns.value")));
};

/** Columns without those by which rows are found. */
const changes =
  (...keys: readonly string[]) =>
  (read: ParameterReader): string =>
    `(({ ${keys.map((key, at) => `${JSON.stringify(key)}: _${at}`).join(", ")}, ...fields }) => fields)(${columns(read)})`;

const matching = (read: ParameterReader): string[] =>
  toList(read.raw("columns.matchingColumns")).map((one) => toText(one));

const airtable = {
  baseId: (read: ParameterReader) => baseOf(read),
  table: "table or tableId",
};

function baseOf(read: ParameterReader): string {
  const code = read.code("base") ?? read.code("application") ?? read.code("baseId") ?? '""';
  return `(/app\\w+/.exec(n8n.text(${code}))?.[0] ?? n8n.text(${code}))`;
}

const AIRTABLE_ITEM =
  "=[{ id: one.body.id, createdTime: one.body.createdTime, ...one.body.fields }]";

/** The conditions of a node as Supabase writes them in a query. */
const supabaseFilter = (read: ParameterReader): string => {
  const match = toText(
    read.raw("matchType"),
    read.raw("operation") === "get" ? "allFilters" : "anyFilter",
  );
  read.raw("filters");
  if (read.raw("filterType") === "string")
    return `Object.fromEntries(new URLSearchParams(${read.text("filterString")}))`;
  const list = toList(toObject(read.raw("filters"))["conditions"]).map((one) => {
    const { keyName = "", condition = "eq", keyValue = "", searchFunction } = toObject(one);
    const operator = condition === "fullText" ? toText(searchFunction, "fts") : toText(condition);
    return {
      name: toCode(keyName),
      value: `${JSON.stringify(`${operator}.`)} + n8n.text(${toCode(keyValue)})`,
    };
  });
  if (list.length === 0) return "{}";
  if (match === "allFilters" || list.length === 1)
    return `{ ${list.map(({ name, value }) => `[${name}]: ${value}`).join(", ")} }`;
  return `{ or: "(" + [${list.map(({ name, value }) => `${name} + "." + ${value}`).join(", ")}].join(",") + ")" }`;
};

/** The fields of nodes that name them one by one, or take all of the item. */
const fieldValues =
  (group: string, nameOf: string, valueOf: string) =>
  (read: ParameterReader): string => {
    const ignored = toText(read.raw("inputsToIgnore"));
    if (/auto|mapped/i.test(toText(read.raw("dataToSend"), "defineBelow")))
      return ignored === ""
        ? "$json"
        : `Object.fromEntries(Object.entries($json).filter(([name]) => !n8n.list(${toCode(ignored)}).includes(name)))`;
    read.raw(group);
    const pairs = toList(toObject(read.raw(group))["fieldValues"]).map((one) => {
      const field = toObject(one);
      if (field["binaryData"] === true) throw new NotConvertible("writes a file to a field");
      return `[${toCode(field[nameOf] ?? "")}]: ${toCode(field[valueOf] ?? "")}`;
    });
    return `{ ${pairs.join(", ")} }`;
  };

const FIELD_TAKES = "columns projectId workspaceId databaseId";

export function names(path: string, member: string) {
  return (read: ParameterReader): string | undefined => {
    const list = toList(read.raw(path)).map((one) => {
      const value = toObject(one)[member] ?? one;
      return `n8n.text(${toCode(value)})`;
    });
    return list.length === 0 ? undefined : `[${list.join(", ")}]`;
  };
}

export const dataServices: ServiceTable = {
  airtable: {
    preset: "airtable",
    title: "Airtable",
    usual: "record.get base.getMany",
    takes: "columns options.bulkSize options.ignoreMissingColumns",
    rename: ({ operation, columns: row }) => {
      const keys = toList(toObject(row)["matchingColumns"]).map((one) => toText(one));
      const isById = keys.length === 0 || keys.includes("id");
      if (operation === "update" && row !== undefined && !isById) return "updateBy";
      return operation === "upsert" && isById ? "upsertById" : undefined;
    },
    actions: [
      {
        on: "record.get record.read",
        action: "get_record",
        input: { ...airtable, recordId: "id" },
        items: AIRTABLE_ITEM,
      },
      {
        on: "record.create record.append",
        action: "create_record",
        input: {
          ...airtable,
          fields: (read) => {
            if (read.raw("columns") !== undefined) return changes("id")(read);
            const names = toList(read.raw("fields"));
            return read.raw("addAllFields") === false && names.length > 0
              ? `Object.fromEntries(${toCode(names)}.map((name) => [name, $json[name]]))`
              : "$json";
          },
          typecast: "options.typecast|bool",
        },
        items: AIRTABLE_ITEM,
        takes: "fields addAllFields",
      },
      {
        on: "record.update",
        action: "update_record",
        input: {
          ...airtable,
          recordId: (read) => {
            if (read.raw("columns") === undefined) return read.text("id");
            return `n8n.text(${columns(read)}.id)`;
          },
          fields: (read) => (read.raw("columns") === undefined ? "$json" : changes("id")(read)),
          typecast: "options.typecast|bool",
        },
        items: AIRTABLE_ITEM,
        takes: "fields updateAllFields",
      },
      {
        on: "record.updateBy",
        via: {
          action: "list_records",
          input: {
            ...airtable,
            filterByFormula: (read) =>
              `n8n.airtableFormula(${toCode(matching(read))}, ${columns(read)})`,
          },
          inputs:
            "n8n.airtableMatches(one.items, asked.isAll).map((recordId) => ({ baseId: asked.baseId, table: asked.table, recordId, fields: asked.fields, typecast: asked.typecast }))",
        },
        action: "update_record",
        input: {
          ...airtable,
          isAll: "options.updateAllMatches|bool",
          fields: changes("id"),
          typecast: "options.typecast|bool",
        },
        items: AIRTABLE_ITEM,
        sample: {
          base: "appx",
          table: "t",
          columns: { mappingMode: "defineBelow", value: { a: 1 }, matchingColumns: ["a"] },
        },
      },
      {
        on: "record.upsertById",
        action: "request",
        input: {
          method: (read) => `n8n.given(${columns(read)}.id) === undefined ? "POST" : "PATCH"`,
          path: (read) =>
            `"/" + encodeURIComponent(${read.source(airtable.baseId)}) + "/" + encodeURIComponent(${read.source(airtable.table)})`,
          body: (read) =>
            `((row) => ({ records: [{ ...(n8n.given(row.id) !== undefined && { id: row.id }), fields: ${changes("id")(read)} }], typecast: ${read.source("options.typecast|bool") ?? "false"} }))(${columns(read)})`,
        },
        items:
          "=one.body.records.map(({ id, createdTime, fields }) => ({ id, createdTime, ...fields }))",
        sample: {
          base: "appx",
          table: "t",
          columns: { mappingMode: "defineBelow", value: { a: 1 }, matchingColumns: ["id"] },
        },
      },
      {
        on: "record.upsert",
        action: "upsert_records",
        input: {
          ...airtable,
          records: (read) => `[{ fields: ${changes("id")(read)} }]`,
          mergeOn: (read) => toCode(matching(read)),
          typecast: "options.typecast|bool",
        },
        items:
          "=one.body.records.map(({ id, createdTime, fields }) => ({ id, createdTime, ...fields }))",
        sample: {
          base: "appx",
          table: "t",
          columns: { mappingMode: "defineBelow", value: { a: 1 }, matchingColumns: ["a"] },
        },
      },
      {
        on: "record.search record.list record.getAll",
        action: "list_records",
        input: {
          ...airtable,
          filterByFormula: "filterByFormula or additionalOptions.filterByFormula",
          view: "options.view",
          fields: "options.fields|list",
          sort: (read) => {
            const all = toList(toObject(read.raw("sort"))["property"]).map(toObject);
            return all.length === 0
              ? undefined
              : `[${all.map(({ field = "", direction = "asc" }) => `{ field: ${toCode(field)}, direction: ${toCode(direction)} }`).join(", ")}]`;
          },
        },
        items: "=one.items.map(({ id, createdTime, fields }) => ({ id, createdTime, ...fields }))",
        isList: true,
        takes: "sort additionalOptions",
      },
      {
        on: "record.deleteRecord record.delete",
        action: "delete_record",
        input: { ...airtable, recordId: "id" },
      },
      { on: "base.getMany", action: "list_bases", isList: true },
      { on: "base.getSchema", action: "get_schema", input: { baseId: (read) => baseOf(read) } },
    ],
  },
  supabase: {
    preset: "supabase",
    title: "Supabase",
    usual: "row.create",
    takes: "fieldsUi filters useCustomSchema schema",
    actions: [
      {
        on: "row.create",
        action: "create_row",
        input: { table: "tableId", row: fieldValues("fieldsUi", "fieldId", "fieldValue") },
      },
      {
        on: "row.getAll row.get",
        action: "list_rows",
        input: { table: "tableId", filter: supabaseFilter },
        isList: true,
      },
      {
        on: "row.update",
        action: "update_rows",
        input: {
          table: "tableId",
          filter: supabaseFilter,
          values: fieldValues("fieldsUi", "fieldId", "fieldValue"),
        },
        sample: {
          tableId: "t",
          filters: { conditions: [{ keyName: "id", condition: "eq", keyValue: "1" }] },
          fieldsUi: { fieldValues: [{ fieldId: "a", fieldValue: "b" }] },
        },
      },
      {
        on: "row.delete",
        action: "delete_rows",
        input: { table: "tableId", filter: supabaseFilter },
        sample: { tableId: "t", filters: { conditions: [{ keyName: "id", keyValue: "1" }] } },
      },
    ],
  },
  nocoDb: {
    preset: "nocodb",
    title: "NocoDB",
    usual: "row.get",
    takes: `fieldsUi ${FIELD_TAKES} version`,
    actions: [
      {
        on: "row.create",
        action: "create_row",
        input: { tableId: "table", row: fieldValues("fieldsUi", "fieldName", "fieldValue") },
      },
      {
        on: "row.update",
        action: "update_row",
        input: {
          tableId: "table",
          row: (read) =>
            `{ Id: ${read.code("id") ?? "$json.Id"}, ...${fieldValues("fieldsUi", "fieldName", "fieldValue")(read)} }`,
        },
        takes: "primaryKey customPrimaryKey",
      },
      {
        on: "row.getAll",
        action: "list_rows",
        input: {
          tableId: "table",
          where: "options.where",
          fields: (read) =>
            read.raw("options.fields") === undefined
              ? undefined
              : `n8n.list(${read.code("options.fields") ?? '""'}).join(",")`,
          viewId: "options.viewId",
        },
        isList: true,
        takes: "options.sort downloadAttachments",
      },
      {
        on: "row.get",
        action: "get_row",
        input: { tableId: "table", rowId: "id" },
        takes: "downloadAttachments",
      },
      {
        on: "row.delete",
        action: "delete_row",
        input: { tableId: "table", row: (read) => `{ Id: ${read.code("id") ?? "$json.Id"} }` },
        takes: "primaryKey",
      },
    ],
  },
  baserow: {
    preset: "baserow",
    title: "Baserow",
    usual: "row.getAll",
    takes: `fieldsUi ${FIELD_TAKES}`,
    actions: [
      {
        on: "row.create",
        action: "create_row",
        input: { tableId: "tableId", row: fieldValues("fieldsUi", "fieldId", "fieldValue") },
      },
      {
        on: "row.update",
        action: "update_row",
        input: {
          tableId: "tableId",
          rowId: "rowId",
          row: fieldValues("fieldsUi", "fieldId", "fieldValue"),
        },
      },
      {
        on: "row.getAll",
        action: "list_rows",
        input: { tableId: "tableId", search: "additionalOptions.search" },
        isList: true,
        takes: "additionalOptions",
      },
      { on: "row.get", action: "get_row", input: { tableId: "tableId", rowId: "rowId" } },
      {
        on: "row.delete",
        action: "delete_row",
        input: { tableId: "tableId", rowId: "rowId" },
        items: "=[{ success: true }]",
      },
    ],
  },
};
