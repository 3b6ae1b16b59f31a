/** A table: headings sort, rows can be selected and clicked, and cells edited if the app allows it. */
import { appField } from "./app-field.ts";
import { formatNumber, formatValue } from "./format.ts";
import type { ButtonProps, ResolvedTable, TableColumn } from "./page-state.ts";
import { type Child, h, type VNode } from "#kernel/html/vnode.ts";

/** The cell being edited. */
export interface EditedCell {
  readonly part: string;
  readonly row: string;
  readonly field: string;
  readonly error?: string | undefined;
}

export function tableView(table: ResolvedTable, id: string, edited: EditedCell | undefined): VNode {
  const { title, rows, search, q, empty } = table;
  const searchInput =
    search &&
    h("input", {
      type: "search",
      "aria-label": `Search ${title}`.trim(),
      placeholder: "Search",
      "data-search": id,
      value: q,
      autocomplete: "off",
    });
  const label = title === "" ? "Table" : title;
  return h(
    "div",
    { class: "card" },
    (title !== "" || search) &&
      h(
        "div",
        { class: "card-head" },
        title !== "" && h("h2", { class: "card-title" }, title),
        searchInput,
      ),
    rows.length === 0
      ? h("p", { class: "faint empty" }, q === "" ? empty : `No results for “${q}”.`)
      : h(
          "div",
          { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
          rowsView(table, id, edited),
        ),
    bulkView(table, id),
    pagerView(table, id),
  );
}

const align = (format: string): string | undefined =>
  format === "number" || format === "money" ? "end" : undefined;

function rowsView(table: ResolvedTable, id: string, edited: EditedCell | undefined): VNode {
  const { columns, rows, actions, select } = table;
  const hasActions = actions.length > 0 && rows.some(({ key }) => key !== null);
  const head = [
    select !== undefined &&
      h("th", { scope: "col", class: "pick" }, h("span", { class: "unseen" }, "Choose")),
    ...columns.map((column) => headView(column, id)),
    hasActions && h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions")),
  ];
  return h(
    "table",
    { class: "rows" },
    h("thead", {}, h("tr", {}, head)),
    h(
      "tbody",
      {},
      rows.map((row) => rowView(table, row, { id, edited, hasActions })),
    ),
  );
}

/** The bar with actions for selected rows, shown while rows are selected. */
function bulkView({ bulkActions, selected }: ResolvedTable, id: string): VNode | false {
  if (bulkActions.length === 0 || selected.length === 0) return false;
  const clear = { type: "button", class: "push", "data-deselect": id };
  return h(
    "div",
    { class: "pager bulk", role: "group", "aria-label": "Selected rows" },
    h("p", { class: "count", role: "status" }, `${formatNumber(selected.length)} chosen`),
    bulkActions.map((button, at) =>
      buttonView(button, { "data-part": id, "data-act": `/bulkActions/${at}/action` }),
    ),
    h("button", clear, "Clear selection"),
  );
}

/** A heading; the sorted one shows the direction. */
function headView({ label, format, field, sorted }: TableColumn, id: string): VNode {
  const arrow = sorted === "up" ? "↑" : sorted === "down" ? "↓" : "";
  const order = { up: "ascending", down: "descending" } as const;
  return h(
    "th",
    { scope: "col", class: align(format), "aria-sort": sorted && order[sorted] },
    field === undefined
      ? label
      : h(
          "button",
          {
            type: "button",
            class: "heading",
            "data-part": id,
            "data-sort": sorted === "up" ? `-${field}` : sorted === "down" ? "" : field,
          },
          label,
          h("span", { class: "arrow", "aria-hidden": "true" }, arrow === "" ? "↕" : arrow),
        ),
  );
}

interface RowOptions {
  readonly id: string;
  readonly edited: EditedCell | undefined;
  readonly hasActions: boolean;
}

function rowView(
  table: ResolvedTable,
  { key, cells }: ResolvedTable["rows"][number],
  { id, edited, hasActions }: RowOptions,
): VNode {
  const { columns, actions, isPressed, select, selected } = table;
  const isChosen = key !== null && selected.includes(key);
  const canPress = isPressed && key !== null;
  const [first] = cells;
  const name = typeof first === "string" || typeof first === "number" ? String(first) : "this row";
  return h(
    "tr",
    {
      "data-key": key ?? undefined,
      class: `${canPress ? "press" : ""} ${isChosen ? "chosen" : ""}`.trim() || undefined,
    },
    select !== undefined &&
      h(
        "td",
        { class: "pick" },
        key !== null &&
          h("input", {
            type: select === "one" ? "radio" : "checkbox",
            name: `${id}.select`,
            "aria-label": `Choose ${name}`,
            "data-choose": id,
            "data-row": key,
            checked: isChosen,
          }),
      ),
    columns.map((column, at) =>
      cellView(column, cells[at], {
        part: id,
        row: key,
        isFirst: at === 0 && canPress,
        edited: edited?.row === key && edited.field === column.field ? edited : undefined,
      }),
    ),
    hasActions &&
      h("td", { class: "acts" }, key !== null && buttonsView(actions, { part: id, row: key })),
  );
}

interface CellOptions {
  readonly part: string;
  readonly row: string | null;
  /** True for the cell that triggers the row's action. */
  readonly isFirst: boolean;
  readonly edited: EditedCell | undefined;
}

function cellView(column: TableColumn, value: unknown, cell: CellOptions): VNode {
  const { label, format, edit, field } = column;
  const { part, row, isFirst, edited } = cell;
  const attributes = { class: align(format), "data-label": label };
  const content = formatValue(value, format);
  if (edit && edited && row !== null && field !== undefined) {
    const control = { name: field, label, ...edit, required: false, value };
    const more = { "data-cell": part, "data-row": row };
    const state = { id: `${part}.cell`, error: edited.error, attributes: more };
    const view = appField(control, { ...state, marksOptional: false });
    return h("td", { ...attributes, class: `${attributes.class ?? ""} editing`.trim() }, view);
  }
  if (edit && row !== null && field !== undefined) {
    const change = { "data-part": part, "data-row": row, "data-edit": field };
    const button = { type: "button", class: "cell", title: `Edit ${label}`, ...change };
    return h("td", attributes, h("button", button, content));
  }
  if (!isFirst || row === null) return h("td", attributes, content);
  const press = { "data-part": part, "data-act": "/rowAction", "data-row": row };
  return h("td", attributes, h("button", { type: "button", class: "open", ...press }, content));
}

function buttonsView(
  actions: readonly ButtonProps[],
  { part, row }: { readonly part: string; readonly row: string },
): VNode[] {
  return actions.map((button, at) =>
    buttonView(button, {
      "data-part": part,
      "data-act": `/rowActions/${at}/action`,
      "data-row": row,
    }),
  );
}

export function buttonView(
  button: ButtonProps,
  attributes: Readonly<Record<string, string | undefined>>,
): VNode {
  const { label, style, confirm } = button;
  return h(
    "button",
    { type: "button", class: `push ${style}`, "data-confirm": confirm, ...attributes },
    label,
  );
}

/** False when there is only one page. */
function pagerView({ next, hasBefore, total, rows }: ResolvedTable, id: string): VNode | false {
  const isWhole = !hasBefore && next === null;
  if (isWhole && total === null) return false;
  const turn = (to: string, label: string, more: object): VNode =>
    h(
      "button",
      { type: "button", class: "push", "data-part": id, "data-turn": to, ...more },
      label,
    );
  const buttons: Child[] = [
    turn("before", "Previous", { disabled: !hasBefore }),
    turn("next", "Next", { "data-next": next ?? undefined, disabled: next === null }),
  ];
  return h(
    "div",
    { class: "pager" },
    total !== null &&
      rows.length > 0 &&
      h("p", { class: "faint count" }, `${formatNumber(total)} in all`),
    !isWhole && buttons,
  );
}
