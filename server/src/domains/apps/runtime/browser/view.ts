/** The view of a page as virtual nodes, rendered by the server as HTML and by the browser as DOM. */
import { boardView, calendarView } from "./board.ts";
import { chartView } from "./chart.ts";
import { appField } from "./app-field.ts";
import { formatValue, setRegion } from "./format.ts";
import type { Field, ResolvedForm, PageState, ResolvedComponent } from "./page-state.ts";
import { buttonView, type EditedCell, tableView } from "./table.ts";
import { type Child, h, type VNode } from "#kernel/html/vnode.ts";

/** The state that only the browser has. */
export interface UiState {
  /** False on the server: without a script all tabs are visible. */
  readonly hasScript: boolean;
  /** The selected tab by component id. */
  readonly tabs: ReadonlyMap<string, number>;
  /** The field errors of each form by component id; errors of the form itself under "". */
  readonly errors: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The values entered in each form so far, by component id: fields may depend on it. */
  readonly entered: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly edited: EditedCell | undefined;
  /** The widths of the places of charts, by component id. */
  readonly widths: ReadonlyMap<string, number>;
  /** A placeholder of a component, which the server renders in a later turn of its event loop. */
  readonly place?: (component: ResolvedComponent) => string;
}

export const NO_SCRIPT: UiState = {
  hasScript: false,
  tabs: new Map(),
  errors: new Map(),
  entered: new Map(),
  edited: undefined,
  widths: new Map(),
};

export function pageView(state: PageState, ui: UiState = NO_SCRIPT): VNode {
  const { region, app, title, pages, components, user } = state;
  setRegion(region);
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
      user && userView(user),
    ),
    h(
      "main",
      { id: "main" },
      h("h1", {}, title),
      components.map((component) => placeComponent(component, ui)),
    ),
  );
}

function userView({ name, home, logOut }: NonNullable<PageState["user"]>): VNode {
  return h(
    "form",
    { class: "person", method: "post", action: logOut },
    h("a", { href: home }, name),
    h("button", { class: "plain" }, "Sign out"),
  );
}

function placeComponent(component: ResolvedComponent, ui: UiState): Child {
  return ui.place?.(component) ?? componentView(component, ui);
}

export function componentView(component: ResolvedComponent, ui: UiState): VNode {
  return h(
    "section",
    { class: `part ${component.type}`, "data-key": component.id },
    renderContent(component, ui),
    component.notice !== undefined && h("p", { class: "notice" }, component.notice),
  );
}

function renderContent(component: ResolvedComponent, ui: UiState): VNode[] {
  switch (component.type) {
    case "failed":
      return [
        h(
          "p",
          { class: "alarm", role: "alert" },
          component.error ?? "This component can't be shown.",
        ),
      ];
    case "text":
      return [textView(component.text, component.style)];
    case "markdown":
      return [h("div", { class: "prose" }, component.content)];
    case "table":
      return [
        tableView(
          component,
          component.id,
          ui.edited?.part === component.id ? ui.edited : undefined,
        ),
      ];
    case "board":
      return [boardView(component, component.id)];
    case "calendar":
      return [calendarView(component, component.id)];
    case "image":
      return [imageView(component)];
    case "form":
      return [formView(component, component.id, ui)];
    case "detail":
      return [detailView(component)];
    case "button":
      return [buttonView(component, { "data-part": component.id, "data-act": "/action" })];
    case "chart":
      return [chartView(component, component.id, ui.widths.get(component.id))];
    case "stat":
      return [
        h(
          "dl",
          { class: "card figure" },
          h("dt", {}, component.label),
          h("dd", {}, formatValue(component.value, component.format)),
        ),
      ];
    case "tabs":
      return tabsView(component, component.id, ui);
    case "columns":
      return [
        h(
          "div",
          { class: "grid" },
          component.columns.map(({ width, components }) =>
            h(
              "div",
              { class: `column w${width}` },
              components.map((one) => placeComponent(one, ui)),
            ),
          ),
        ),
      ];
    case "modal":
      return modalView(component, component.id, ui);
    case "input":
    case "select":
      return [inputView(component, component.id)];
  }
}

function textView(text: string, style: string): VNode {
  if (style === "heading") return h("h2", {}, text);
  if (style === "subheading") return h("h3", {}, text);
  return h("p", { class: style === "muted" ? "faint" : "words" }, text);
}

function formView({ title, fields, submitLabel }: ResolvedForm, id: string, ui: UiState): VNode {
  const errors = ui.errors.get(id) ?? {};
  const general = errors[""];
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
    fields
      .filter((field) => !ui.hasScript || isAsked(field, fields, ui.entered.get(id)))
      .map((field) => appField(field, { id: `${id}.${field.name}`, error: errors[field.name] })),
    h("div", { class: "row" }, h("button", { type: "submit", class: "push primary" }, submitLabel)),
  );
}

/** Returns whether a field is shown, given the entered and initial values of the form. */
function isAsked(
  { when }: Field,
  fields: readonly Field[],
  entered: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (!when) return true;
  const first = fields.find(({ name }) => name === when.field)?.value;
  const value = entered && Object.hasOwn(entered, when.field) ? entered[when.field] : first;
  return when.is.some((one) => String(one) === String(value as string));
}

function imageView({ src, alt, width }: Extract<ResolvedComponent, { type: "image" }>): VNode {
  if (src === null) return h("p", { class: "faint empty" }, "No image");
  return h("img", { src, alt, class: `picture ${width}`, loading: "lazy" });
}

function detailView({ title, fields }: Extract<ResolvedComponent, { type: "detail" }>): VNode {
  return h(
    "div",
    { class: "card" },
    title !== "" && h("h2", { class: "card-title" }, title),
    fields === null
      ? h("p", { class: "faint empty" }, "No data")
      : h(
          "dl",
          { class: "facts" },
          fields.map(({ label, value, format }) =>
            h("div", {}, h("dt", {}, label), h("dd", {}, formatValue(value, format))),
          ),
        ),
  );
}

function tabsView(
  { tabs }: Extract<ResolvedComponent, { type: "tabs" }>,
  id: string,
  ui: UiState,
): VNode[] {
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
        hidden: ui.hasScript && at !== chosen,
      },
      components.map((component) => placeComponent(component, ui)),
    ),
  );
  return [h("div", { role: "tablist", class: "tabs-head" }, heads), ...panels];
}

function modalView(
  { title, openLabel, components }: Extract<ResolvedComponent, { type: "modal" }>,
  id: string,
  ui: UiState,
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
      components.map((component) => placeComponent(component, ui)),
    ),
  ];
}

function inputView(
  component: Extract<ResolvedComponent, { type: "input" | "select" }>,
  id: string,
): VNode {
  const { name, label, value } = component;
  const input = component.type === "select" ? "select" : component.input;
  const options = component.type === "select" ? component.options : [];
  const field = { name, label, input, options, value, required: false };
  const attributes = { "data-input": name };
  return appField(field, { id: `${id}.input`, attributes, marksOptional: false });
}
