import type { FormInput } from "#kernel/html/form/form-field.ts";
import { findOpenTable } from "#domains/tables/index.ts";
import type { TableColumn } from "../browser/page-state.ts";
import { idOf } from "../sources/load-sources.ts";
import { getSource, isPaged, PAGE_SIZE, readTablePage } from "../sources/table-page.ts";
import { labelsOfSource } from "./column-titles.ts";
import type { RenderContext, RenderedComponent } from "./render-context.ts";
import {
  cellValue,
  displayFields,
  type DisplayField,
  toButton,
  toList,
  toOptions,
  toText,
} from "./values.ts";

export async function renderTable(ctx: RenderContext): Promise<RenderedComponent> {
  const { props, component, browserState, id } = ctx;
  const view = Object.hasOwn(browserState.views, id) ? browserState.views[id] : undefined;
  const { after } = view ?? {};
  // A search that the page does not offer could reveal fields that are not displayed. For visitors, it searches
  // only the displayed texts, not all texts of a record.
  const searchIn = ctx.session.isPublic === true ? await findShownTexts(ctx) : undefined;
  const isSearched = component["search"] === true && searchIn?.length !== 0;
  const q = isSearched ? view?.q : undefined;
  const sort = allowedSort(ctx, view?.sort);
  const searchable = (row: unknown) =>
    displayFields(props["columns"], [row])
      .map(({ field }) => toText(cellValue(row, field)).toLowerCase())
      .join("\n");
  const { rows, next, total } = await readTablePage(ctx, component, {
    q,
    searchIn,
    after,
    sort,
    pageSize: Number(component["pageSize"] ?? PAGE_SIZE),
    isCounted: component["total"] === true,
    searchable,
    valueOf: cellValue,
  });
  const labelOf = await labelsOfSource(ctx.session, component);
  const columns = displayFields(props["columns"], rows, labelOf);
  const chosen = Object.hasOwn(browserState.selected, id) ? browserState.selected[id] : [];
  return {
    type: "table",
    title: toText(props["title"]),
    columns: columns.map((column, at) => toColumn(ctx, column, { at, sort })),
    // Only the fields of columns are sent to the browser.
    rows: rows.map((row) => ({
      key: idOf(row) ?? null,
      cells: columns.map(({ field }) => cellValue(row, field)),
    })),
    actions: toList(props["rowActions"]).map((entry) =>
      toButton(Object(entry) as Record<string, unknown>),
    ),
    bulkActions:
      component["select"] === "many"
        ? toList(props["bulkActions"]).map((entry) =>
            toButton(Object(entry) as Record<string, unknown>),
          )
        : [],
    isPressed: component["rowAction"] !== undefined,
    select: component["select"] === undefined ? undefined : toText(component["select"]),
    selected: [...(chosen ?? [])],
    search: isSearched,
    q: q ?? "",
    hasBefore: after !== undefined,
    next,
    total: component["total"] === true ? (total ?? null) : null,
    empty: toText(props["empty"] ?? "No data"),
  };
}

/** The text fields that a table shows as columns; undefined if its rows are searched as displayed. */
async function findShownTexts(ctx: RenderContext): Promise<readonly string[] | undefined> {
  const { session, component, props } = ctx;
  const source = getSource(session, component.dataSource);
  if (!isPaged(source)) return undefined;
  if (source.kind !== "table" || props["columns"] === undefined) return [];
  const table = await findOpenTable(session, toText(source.config["table"]));
  return displayFields(props["columns"], [])
    .map(({ field }) => field)
    .filter((field) => table?.fieldType(field)?.kind === "text")
    .slice(0, SEARCHED_MAX);
}

/** The maximum number of texts that one search covers. */
const SEARCHED_MAX = 20;

/** A table can be sorted only by displayed fields, so that the order reveals nothing else. */
function allowedSort({ component, props }: RenderContext, sort: string | undefined) {
  if (component["sortable"] === false || sort === undefined) return undefined;
  const displayed = toList(props["columns"]).map((entry) =>
    toText((Object(entry) as { readonly field?: unknown }).field),
  );
  return displayed.includes(sort.replace(/^-/, "")) ? sort : undefined;
}

function toColumn(
  ctx: RenderContext,
  { field, label, format }: DisplayField,
  { at, sort }: { readonly at: number; readonly sort: string | undefined },
): TableColumn {
  const { component, props, session } = ctx;
  const isNamed = props["columns"] !== undefined;
  const { edit, options } = Object(toList(props["columns"])[at]) as Record<string, unknown>;
  const isRecord = getSource(session, component.dataSource).kind === "table";
  const isEditable = edit === true && isRecord && !field.includes(".");
  return {
    label,
    format,
    ...(component["sortable"] !== false && isNamed && { field }),
    ...(sort?.replace(/^-/, "") === field && { sorted: sort.startsWith("-") ? "down" : "up" }),
    ...(isEditable && {
      edit: { input: chooseInput(format, options), options: toOptions(options) },
    }),
  };
}

const EDIT_INPUTS: Readonly<Record<string, FormInput>> = {
  number: "number",
  money: "number",
  boolean: "checkbox",
  date: "date",
  datetime: "datetime",
};

function chooseInput(format: string, options: unknown): FormInput {
  return options === undefined ? (EDIT_INPUTS[format] ?? "text") : "select";
}

/** The field of an editable column, as a form field; undefined for other columns. */
export function editedField(props: Readonly<Record<string, unknown>>, name: string) {
  const column = toList(props["columns"]).find((entry) => {
    const { field, edit } = Object(entry) as Record<string, unknown>;
    return field === name && edit === true;
  });
  if (!column) return undefined;
  const { label, format, options } = column as Record<string, unknown>;
  return {
    name,
    label: toText(label ?? name),
    input: chooseInput(toText(format), options),
    required: false,
    options: toOptions(options),
    value: null,
  };
}
