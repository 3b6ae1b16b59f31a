/**
 * Renders each type of component once its bindings are evaluated. Its fields were validated when it was
 * saved; the value of a binding may be anything, and is converted to text where text is displayed.
 */
import { type Component, childrenOf } from "../definition/component.ts";
import type { Field, Option, ResolvedComponent, ButtonProps } from "./browser/page-state.ts";
import type { BindingScope } from "./evaluate-binding.ts";
import { idOf, readTablePage, type ResolveContext, rowsOf } from "./load-sources.ts";

const PAGE_SIZE = 20;
const POINTS_MAX = 100;
/** For components that name no fields. */
const FIELDS_MAX = 50;

/** A component to render, in its page. */
export interface RenderContext extends ResolveContext {
  readonly id: string;
  readonly component: Component;
  /** Its own fields, evaluated. */
  readonly props: Readonly<Record<string, unknown>>;
  /** Renders a list of child components. */
  readonly renderChildren: (
    pointer: string,
    components: readonly unknown[],
  ) => Promise<ResolvedComponent[]>;
}

type RenderedComponent = ResolvedComponent extends infer One
  ? One extends unknown
    ? Omit<One, "id">
    : never
  : never;
type ComponentRenderer = (ctx: RenderContext) => Promise<RenderedComponent> | RenderedComponent;

export const componentRenderers: Readonly<Record<string, ComponentRenderer>> = {
  text: ({ props }) => ({
    type: "text",
    text: toText(props["text"]),
    style: toText(props["style"] ?? "body"),
  }),
  markdown: async ({ props, markdown }) => ({
    type: "markdown",
    content: await markdown.render(toText(props["text"])),
  }),
  table: renderTable,
  form: renderForm,
  detail: ({ props, ...ctx }) => {
    const [row] = rowsOf(sourceValue(ctx));
    const fields =
      row === undefined
        ? null
        : displayFields(props["fields"], [row]).map((field) => ({
            ...field,
            value: valueAt(row, field.field),
          }));
    return { type: "detail", title: toText(props["title"]), fields };
  },
  button: ({ props }) => ({ type: "button", ...toButton(props) }),
  chart: ({ props, component, ...ctx }) => {
    const rows = rowsOf(sourceValue({ ...ctx, component }));
    const points = rows.slice(0, POINTS_MAX).map((row) => ({
      label: toText(valueAt(row, String(component["x"]))),
      value: toNumber(valueAt(row, String(component["y"]))),
    }));
    return {
      type: "chart",
      kind: String(component["kind"]),
      title: toText(props["title"]),
      points,
      ...(rows.length > POINTS_MAX && {
        notice: `Only the first ${POINTS_MAX} of ${rows.length} values.`,
      }),
    };
  },
  stat: ({ props }) => ({
    type: "stat",
    label: toText(props["label"]),
    value: props["value"] ?? null,
    format: toText(props["format"] ?? "text"),
  }),
  tabs: async ({ props, component, renderChildren }) => {
    const titles = toList(props["tabs"]);
    const tabs = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { title } = Object(titles[index]) as { title?: unknown };
      tabs.push({ title: toText(title), components: await renderChildren(pointer, components) });
    }
    return { type: "tabs", tabs };
  },
  columns: async ({ props, component, renderChildren }) => {
    const widths = toList(props["columns"]);
    const columns = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { width } = Object(widths[index]) as { width?: unknown };
      columns.push({
        width: Number(width ?? 0),
        components: await renderChildren(pointer, components),
      });
    }
    return { type: "columns", columns };
  },
  modal: async ({ props, component, renderChildren }) => {
    const [only] = childrenOf(component);
    const components = only ? await renderChildren(only.pointer, only.components) : [];
    const { title, openLabel } = props;
    return { type: "modal", title: toText(title), openLabel: toText(openLabel), components };
  },
  input: ({ props, scope }) => {
    const { name, label, input = "text" } = props;
    const value = inputValue(scope, String(name));
    return {
      type: "input",
      name: toText(name),
      label: toText(label),
      input: toText(input),
      value,
    };
  },
  select: ({ props, scope }) => {
    const { name, label, options } = props;
    const value = inputValue(scope, String(name));
    return {
      type: "select",
      name: toText(name),
      label: toText(label),
      options: toOptions(options),
      value,
    };
  },
};

async function renderTable(ctx: RenderContext): Promise<RenderedComponent> {
  const { props, component, browserState: occasion, id } = ctx;
  const view = Object.hasOwn(occasion.views, id) ? occasion.views[id] : undefined;
  const { after } = view ?? {};
  // A search that the page does not offer could disclose fields that are not displayed.
  const q = component["search"] === true ? view?.q : undefined;
  const pageSize = Number(component["pageSize"] ?? PAGE_SIZE);
  const searchable = (row: unknown) =>
    displayFields(props["columns"], [row])
      .map(({ field }) => toText(valueAt(row, field)).toLowerCase())
      .join("\n");
  const { rows, next } = await readTablePage(ctx, component, { q, after, pageSize, searchable });
  const columns = displayFields(props["columns"], rows);
  return {
    type: "table",
    title: toText(props["title"]),
    columns: columns.map(({ label, format }) => ({ label, format })),
    // Only the fields of columns are sent to the browser.
    rows: rows.map((row) => ({
      key: idOf(row) ?? null,
      cells: columns.map(({ field }) => valueAt(row, field) ?? null),
    })),
    actions: toList(props["rowActions"]).map((entry) =>
      toButton(Object(entry) as Record<string, unknown>),
    ),
    search: component["search"] === true,
    q: q ?? "",
    hasBefore: after !== undefined,
    next,
    empty: toText(props["empty"] ?? "There is nothing here."),
  };
}

function renderForm(ctx: RenderContext): RenderedComponent {
  const { props, component } = ctx;
  const row = component.dataSource === undefined ? undefined : rowsOf(sourceValue(ctx))[0];
  const { submitLabel = "Save" } = props;
  const fields = buildFormFields(props).map((field) => {
    const stored = row === undefined ? undefined : valueAt(row, field.name);
    return { ...field, value: stored ?? field.value };
  });
  return { type: "form", title: toText(props["title"]), fields, submitLabel: toText(submitLabel) };
}

/** The fields of a form, with their default values. */
export function buildFormFields(props: Readonly<Record<string, unknown>>): Field[] {
  return toList(props["fields"]).map((entry) => {
    const { name, label, input, required, options, help, ...field } = entry as Record<
      string,
      unknown
    >;
    return {
      name: toText(name),
      label: toText(label ?? name),
      input: toText(input ?? (options === undefined ? "text" : "select")),
      required: required === true,
      options: toOptions(options),
      value: field["default"] ?? null,
      help: help === undefined ? undefined : toText(help),
    };
  });
}

/** The entered value of an input; own properties only, since an input may be named `constructor`. */
function inputValue({ inputs }: BindingScope, name: string): unknown {
  return (Object.hasOwn(inputs, name) ? inputs[name] : undefined) ?? "";
}

function sourceValue({ component, loaded }: Pick<RenderContext, "component" | "loaded">): unknown {
  const entry = loaded.get(component.dataSource ?? "");
  return entry && "value" in entry ? entry.value : undefined;
}

/** The fields that a component names or, without any, those of the rows. */
function displayFields(named: unknown, rows: readonly unknown[]) {
  const fields = named === undefined ? inferFields(rows) : toList(named);
  return fields.map((entry) => {
    const { field, label, format } = entry as Readonly<Record<string, unknown>>;
    const name = toText(field);
    return { field: name, label: toText(label ?? name), format: toText(format ?? "text") };
  });
}

/** Leaves out names with a dot, which would be read as paths. */
function inferFields(rows: readonly unknown[]) {
  const names = new Set(rows.flatMap((row) => Object.keys(Object(row) as object)));
  return [...names]
    .filter((name) => !name.includes("."))
    .slice(0, FIELDS_MAX)
    .map((field) => ({ field }));
}

function toButton({ label, style, confirm }: Readonly<Record<string, unknown>>): ButtonProps {
  return {
    label: toText(label),
    style: toText(style ?? "secondary"),
    confirm: confirm === undefined ? undefined : toText(confirm),
  };
}

function toOptions(options: unknown): Option[] {
  return toList(options).map((entry) => {
    if (typeof entry !== "object" || entry === null)
      return { value: toText(entry), label: toText(entry) };
    const { value, label = value } = entry as Readonly<Record<string, unknown>>;
    return { value: toText(value), label: toText(label) };
  });
}

/** Reads own properties along a path such as `a.b.c`. */
function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function toNumber(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || value === "" ? [] : [value];
}

/** Converts any value to text for display. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object"
    ? JSON.stringify(value)
    : String(value as string | number | boolean);
}
