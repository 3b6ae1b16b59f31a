/** A page as elements: the one description of what is seen, for the server and for the browser. */
import { chartView } from "./chart.ts";
import { fieldView } from "./fields.ts";
import { formatted } from "./format.ts";
import type { FormPart, PageState, Part, Push, TablePart } from "./tree.ts";
import { type Child, h, type VNode } from "./vnode.ts";

/** What only the browser knows. */
export interface Ui {
  /** Whether a script is there to help: without, everything is shown. */
  readonly isAlive: boolean;
  /** The chosen tab of each component that has tabs. */
  readonly tabs: ReadonlyMap<string, number>;
  /** What is wrong with the fields of each form, and with the form itself under "". */
  readonly faults: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const STILL: Ui = { isAlive: false, tabs: new Map(), faults: new Map() };

export function pageView(state: PageState, ui: Ui = STILL): VNode {
  const { app, title, pages, components } = state;
  return h(
    "div",
    { class: "shell" },
    h(
      "header",
      { class: "bar" },
      h("p", { class: "brand" }, app),
      pages.length > 1 &&
        h(
          "nav",
          { "aria-label": "Pages" },
          h(
            "ul",
            {},
            pages.map((page) =>
              h(
                "li",
                {},
                h("a", { href: page.url, "aria-current": page.current && "page" }, page.title),
              ),
            ),
          ),
        ),
    ),
    h(
      "main",
      { id: "main" },
      h("h1", {}, title),
      components.map((part) => partView(part, ui)),
    ),
  );
}

function partView(part: Part, ui: Ui): VNode {
  return h("section", { class: `part ${part.type}`, "data-key": part.id }, contentOf(part, ui));
}

function contentOf(part: Part, ui: Ui): VNode[] {
  switch (part.type) {
    case "failed":
      return [h("p", { class: "alarm", role: "alert" }, part.error ?? "This can't be shown.")];
    case "text":
      return [textView(part.text, part.style)];
    case "markdown":
      return [h("div", { class: "prose" }, part.content)];
    case "table":
      return [tableView(part, part.id)];
    case "form":
      return [formView(part, part.id, ui)];
    case "detail":
      return [detailView(part)];
    case "button":
      return [pushView(part, { "data-part": part.id, "data-act": "/action" })];
    case "chart":
      return [chartView(part)];
    case "stat":
      return [
        h(
          "dl",
          { class: "card figure" },
          h("dt", {}, part.label),
          h("dd", {}, formatted(part.value, part.format)),
        ),
      ];
    case "tabs":
      return tabsView(part, part.id, ui);
    case "columns":
      return [
        h(
          "div",
          { class: "grid" },
          part.columns.map(({ width, components }) =>
            h(
              "div",
              { class: `column w${width}` },
              components.map((one) => partView(one, ui)),
            ),
          ),
        ),
      ];
    case "modal":
      return modalView(part, part.id, ui);
    case "input":
    case "select":
      return [inputView(part, part.id)];
  }
}

function textView(text: string, style: string): VNode {
  if (style === "heading") return h("h2", {}, text);
  if (style === "subheading") return h("h3", {}, text);
  return h("p", { class: style === "muted" ? "faint" : "words" }, text);
}

function pushView(push: Push, marks: Readonly<Record<string, string | undefined>>): VNode {
  const { label, style, confirm } = push;
  return h(
    "button",
    { type: "button", class: `push ${style}`, "data-confirm": confirm, ...marks },
    label,
  );
}

function tableView(table: TablePart, id: string): VNode {
  const { title, rows, search, q, empty } = table;
  const find =
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
        find,
      ),
    rows.length === 0
      ? h("p", { class: "faint empty" }, empty)
      : h(
          "div",
          { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
          rowsView(table, id),
        ),
    pagerView(table, id),
  );
}

function rowsView({ columns, rows, actions }: TablePart, id: string): VNode {
  const acts = actions.length > 0 && rows.some(({ key }) => key !== null);
  const align = (format: string) => (format === "number" || format === "money" ? "end" : undefined);
  const head = columns.map(({ label, format }) =>
    h("th", { scope: "col", class: align(format) }, label),
  );
  const pushes = (key: string): VNode[] =>
    actions.map((push, at) =>
      pushView(push, { "data-part": id, "data-act": `/rowActions/${at}/action`, "data-row": key }),
    );
  const body = rows.map(({ key, cells }) =>
    h(
      "tr",
      { "data-key": key ?? undefined },
      columns.map(({ label, format }, at) =>
        h("td", { class: align(format), "data-label": label }, formatted(cells[at], format)),
      ),
      acts && h("td", { class: "acts" }, key !== null && pushes(key)),
    ),
  );
  const forActs = acts && h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions"));
  return h(
    "table",
    { class: "rows" },
    h("thead", {}, h("tr", {}, head, forActs)),
    h("tbody", {}, body),
  );
}

/** Where there is but one page, nothing. */
function pagerView({ next, hasBefore }: TablePart, id: string): VNode | false {
  if (!hasBefore && next === null) return false;
  const turn = (to: string, label: string, more: object) =>
    h(
      "button",
      { type: "button", class: "push", "data-part": id, "data-turn": to, ...more },
      label,
    );
  return h(
    "div",
    { class: "pager" },
    turn("before", "Previous", { disabled: !hasBefore }),
    turn("next", "Next", { "data-next": next ?? undefined, disabled: next === null }),
  );
}

function formView({ title, fields, submitLabel }: FormPart, id: string, ui: Ui): VNode {
  const faults = ui.faults.get(id) ?? {};
  const general = faults[""];
  return h(
    "form",
    {
      class: "card",
      "data-form": id,
      novalidate: true,
      "aria-label": title === "" ? "Form" : title,
    },
    title !== "" && h("h2", { class: "card-title" }, title),
    general !== undefined && h("p", { class: "alarm", role: "alert" }, general),
    fields.map((field) =>
      fieldView(field, { id: `${id}.${field.name}`, fault: faults[field.name] }),
    ),
    h("div", { class: "row" }, h("button", { type: "submit", class: "push primary" }, submitLabel)),
  );
}

function detailView({ title, fields }: Extract<Part, { type: "detail" }>): VNode {
  return h(
    "div",
    { class: "card" },
    title !== "" && h("h2", { class: "card-title" }, title),
    fields === null
      ? h("p", { class: "faint empty" }, "There is nothing here.")
      : h(
          "dl",
          { class: "facts" },
          fields.map(({ label, value, format }) =>
            h("div", {}, h("dt", {}, label), h("dd", {}, formatted(value, format))),
          ),
        ),
  );
}

function tabsView({ tabs }: Extract<Part, { type: "tabs" }>, id: string, ui: Ui): VNode[] {
  const chosen = Math.min(ui.tabs.get(id) ?? 0, tabs.length - 1);
  const heads = tabs.map(({ title }, at) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${id}.tab${at}`,
        "aria-controls": `${id}.panel${at}`,
        "aria-selected": at === chosen ? "true" : "false",
        tabindex: at === chosen ? "0" : "-1",
        "data-part": id,
        "data-tab": at,
      },
      title,
    ),
  );
  const panels = tabs.map(({ components }, at) =>
    h(
      "div",
      {
        role: "tabpanel",
        id: `${id}.panel${at}`,
        "aria-labelledby": `${id}.tab${at}`,
        hidden: ui.isAlive && at !== chosen,
      },
      components.map((part) => partView(part, ui)),
    ),
  );
  return [h("div", { role: "tablist", class: "tabs-head" }, heads), ...panels];
}

function modalView(
  { title, openLabel, components }: Extract<Part, { type: "modal" }>,
  id: string,
  ui: Ui,
): VNode[] {
  const head: Child[] = [
    h("h2", { id: `${id}.title` }, title),
    h("button", { type: "button", class: "close", "data-close": true, "aria-label": "Close" }, "×"),
  ];
  return [
    h(
      "button",
      { type: "button", class: "push", "data-open": `${id}.dialog`, "aria-haspopup": "dialog" },
      openLabel,
    ),
    h(
      "dialog",
      { id: `${id}.dialog`, "aria-labelledby": `${id}.title` },
      h("div", { class: "dialog-head" }, head),
      components.map((part) => partView(part, ui)),
    ),
  ];
}

function inputView(part: Extract<Part, { type: "input" | "select" }>, id: string): VNode {
  const { name, label, value } = part;
  const input = part.type === "select" ? "select" : part.input;
  const options = part.type === "select" ? part.options : [];
  const field = { name, label, input, options, value, required: false, help: undefined };
  return fieldView(field, { id: `${id}.input`, marks: { "data-input": name } });
}
