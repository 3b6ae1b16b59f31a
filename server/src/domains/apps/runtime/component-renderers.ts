/**
 * What each type of component comes to, once its bindings have their values. Which fields there are was
 * checked when it was saved; what a binding gives may be anything, and becomes words where words are shown.
 */
import type { MarkdownIt, Token } from "markdown-it";
import { type Component, childrenOf } from "../definition/component.ts";
import type { Field, Option, Part, Push } from "./browser/tree.ts";
import { type Child, h, type VNode } from "./browser/vnode.ts";
import type { ResolveContext, BindingScope } from "./evaluate-binding.ts";
import { glance, idOf, rowsOf } from "./load-sources.ts";

/**
 * Markdown of people as elements, never as HTML: only the tags below come out of it, a link leads to the
 * web, to mail or within our own pages, and pictures are the words that describe them.
 */

const TAGS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td a".split(
    " ",
  ),
);

/** As much as a page may hold itself; what data adds to it is cut off there. */
const CHARACTERS_MAX = 50_000;

let loading: Promise<MarkdownIt> | undefined;

async function markdownOf(text: string): Promise<VNode[]> {
  loading ??= load();
  const reader = await loading;
  return elementsOf(reader.parse(text.slice(0, CHARACTERS_MAX), {})).map((child) =>
    typeof child === "string" ? h("p", {}, child) : child,
  );
}

/** Made when it is first needed: most processes never render anything. */
async function load(): Promise<MarkdownIt> {
  const { default: Reader } = await import("markdown-it");
  const reader = new Reader({ html: false, linkify: true });
  reader.validateLink = (url) => {
    const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(url) ?? [];
    if (scheme !== undefined) return ["http:", "https:", "mailto:"].includes(scheme.toLowerCase());
    // Without a scheme but with a host it would lead elsewhere.
    return !/^[/\\\s]{2}/.test(url) && !/^\s/.test(url);
  };
  return reader;
}

/** Tokens come flat, with an opening and a closing one for what holds others. */
function elementsOf(tokens: readonly Token[]): Child[] {
  const stack: { token: Token | undefined; children: Child[] }[] = [
    { token: undefined, children: [] },
  ];
  const put = (...children: readonly Child[]): void =>
    void stack.at(-1)?.children.push(...children);
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === -1) {
      const done = stack.pop();
      if (done?.token) put(...closed(done.token, done.children));
    } else put(...single(token));
  }
  return stack[0]?.children ?? [];
}

function closed(token: Token, children: readonly Child[]): readonly Child[] {
  if (token.hidden || !TAGS.has(token.tag)) return children;
  if (token.tag !== "a") return [h(token.tag, {}, children)];
  const href = String(token.attrGet("href") ?? "");
  // What is elsewhere does not take the place of the app, which may be in somebody's frame.
  const target = /^https?:/i.test(href) && "_blank";
  return [h("a", { href, target, rel: "noopener noreferrer nofollow" }, children)];
}

function single(token: Token): readonly Child[] {
  const { type, tag, content } = token;
  if (type === "inline") return elementsOf(token.children ?? []);
  if (type === "softbreak") return [" "];
  if (type === "fence" || type === "code_block") return [h("pre", {}, h("code", {}, content))];
  if (type === "code_inline") return [h("code", {}, content)];
  if (tag === "hr" || tag === "br") return [h(tag)];
  return [content];
}

const PAGE_SIZE = 20;
const POINTS_MAX = 100;
/** Of rows whose fields nobody has named. */
const FIELDS_MAX = 50;

/** A component in its page. */
export interface RenderContext extends ResolveContext {
  readonly id: string;
  readonly component: Component;
  /** Its own fields, evaluated. */
  readonly own: Readonly<Record<string, unknown>>;
  /** What stands inside of it. */
  readonly inner: (pointer: string, components: readonly unknown[]) => Promise<Part[]>;
}

type Made = Part extends infer One ? (One extends unknown ? Omit<One, "id"> : never) : never;
type Make = (making: RenderContext) => Promise<Made> | Made;

/** By the type of component. */
export const componentRenderers: Readonly<Record<string, Make>> = {
  text: ({ own }) => ({
    type: "text",
    text: wordsOf(own["text"]),
    style: wordsOf(own["style"] ?? "body"),
  }),
  markdown: async ({ own }) => ({
    type: "markdown",
    content: await markdownOf(wordsOf(own["text"])),
  }),
  table,
  form,
  detail: ({ own, ...making }) => {
    const [row] = rowsOf(valueOf(making));
    const fields =
      row === undefined
        ? null
        : shownFields(own["fields"], [row]).map((field) => ({
            ...field,
            value: valueAt(row, field.field),
          }));
    return { type: "detail", title: wordsOf(own["title"]), fields };
  },
  button: ({ own }) => ({ type: "button", ...pushOf(own) }),
  chart: ({ own, component, ...making }) => {
    const rows = rowsOf(valueOf({ ...making, component })).slice(0, POINTS_MAX);
    const points = rows.map((row) => ({
      label: wordsOf(valueAt(row, String(component["x"]))),
      value: numberOf(valueAt(row, String(component["y"]))),
    }));
    return { type: "chart", kind: String(component["kind"]), title: wordsOf(own["title"]), points };
  },
  stat: ({ own }) => ({
    type: "stat",
    label: wordsOf(own["label"]),
    value: own["value"] ?? null,
    format: wordsOf(own["format"] ?? "text"),
  }),
  tabs: async ({ own, component, inner }) => {
    const titles = listOf(own["tabs"]);
    const tabs = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { title } = Object(titles[index]) as { title?: unknown };
      tabs.push({ title: wordsOf(title), components: await inner(pointer, components) });
    }
    return { type: "tabs", tabs };
  },
  columns: async ({ own, component, inner }) => {
    const widths = listOf(own["columns"]);
    const columns = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { width } = Object(widths[index]) as { width?: unknown };
      columns.push({ width: Number(width ?? 0), components: await inner(pointer, components) });
    }
    return { type: "columns", columns };
  },
  modal: async ({ own, component, inner }) => {
    const [only] = childrenOf(component);
    const components = only ? await inner(only.pointer, only.components) : [];
    const { title, openLabel } = own;
    return { type: "modal", title: wordsOf(title), openLabel: wordsOf(openLabel), components };
  },
  input: ({ own, scope }) => {
    const { name, label, input = "text" } = own;
    const value = inputNamed(scope, String(name));
    return {
      type: "input",
      name: wordsOf(name),
      label: wordsOf(label),
      input: wordsOf(input),
      value,
    };
  },
  select: ({ own, scope }) => {
    const { name, label, options } = own;
    const value = inputNamed(scope, String(name));
    return {
      type: "select",
      name: wordsOf(name),
      label: wordsOf(label),
      options: optionsOf(options),
      value,
    };
  },
};

async function table(making: RenderContext): Promise<Made> {
  const { own, component, occasion, id } = making;
  const view = Object.hasOwn(occasion.views, id) ? occasion.views[id] : undefined;
  const { after } = view ?? {};
  // Where nothing is offered to search with, searching would tell of fields that nobody is shown.
  const q = component["search"] === true ? view?.q : undefined;
  const pageSize = Number(component["pageSize"] ?? PAGE_SIZE);
  const searchable = (row: unknown) =>
    shownFields(own["columns"], [row])
      .map(({ field }) => wordsOf(valueAt(row, field)).toLowerCase())
      .join("\n");
  const { rows, next } = await glance(making, component, { q, after, pageSize, searchable });
  const columns = shownFields(own["columns"], rows);
  return {
    type: "table",
    title: wordsOf(own["title"]),
    columns: columns.map(({ label, format }) => ({ label, format })),
    // No field leaves here that no column shows.
    rows: rows.map((row) => ({
      key: idOf(row) ?? null,
      cells: columns.map(({ field }) => valueAt(row, field) ?? null),
    })),
    actions: listOf(own["rowActions"]).map((one) => pushOf(Object(one) as Record<string, unknown>)),
    search: component["search"] === true,
    q: q ?? "",
    hasBefore: after !== undefined,
    next,
    empty: wordsOf(own["empty"] ?? "There is nothing here."),
  };
}

function form(making: RenderContext): Made {
  const { own, component } = making;
  const row = component.dataSource === undefined ? undefined : rowsOf(valueOf(making))[0];
  const { submitLabel = "Save" } = own;
  const fields = formFields(own).map((field) => {
    const kept = row === undefined ? undefined : valueAt(row, field.name);
    return { ...field, value: kept ?? field.value };
  });
  return { type: "form", title: wordsOf(own["title"]), fields, submitLabel: wordsOf(submitLabel) };
}

/** The fields of a form, with what they say when nobody has said anything. */
export function formFields(own: Readonly<Record<string, unknown>>): Field[] {
  return listOf(own["fields"]).map((one) => {
    const { name, label, input, required, options, help, ...field } = one as Record<
      string,
      unknown
    >;
    return {
      name: wordsOf(name),
      label: wordsOf(label ?? name),
      input: wordsOf(input ?? (options === undefined ? "text" : "select")),
      required: required === true,
      options: optionsOf(options),
      value: field["default"] ?? null,
      help: help === undefined ? undefined : wordsOf(help),
    };
  });
}

/** What was entered under a name; a name such as `constructor` is nobody's otherwise. */
function inputNamed({ inputs }: BindingScope, name: string): unknown {
  return (Object.hasOwn(inputs, name) ? inputs[name] : undefined) ?? "";
}

function valueOf({ component, loaded }: Pick<RenderContext, "component" | "loaded">): unknown {
  const one = loaded.get(component.dataSource ?? "");
  return one && "value" in one ? one.value : undefined;
}

/** Those that a component names or, when it names none, those that the rows have. */
function shownFields(named: unknown, rows: readonly unknown[]) {
  const fields = named === undefined ? fieldsOf(rows) : listOf(named);
  return fields.map((one) => {
    const { field, label, format } = one as Readonly<Record<string, unknown>>;
    const name = wordsOf(field);
    return { field: name, label: wordsOf(label ?? name), format: wordsOf(format ?? "text") };
  });
}

/** Names with a dot in them would be read as paths, so they are left out. */
function fieldsOf(rows: readonly unknown[]) {
  const names = new Set(rows.flatMap((row) => Object.keys(Object(row) as object)));
  return [...names]
    .filter((name) => !name.includes("."))
    .slice(0, FIELDS_MAX)
    .map((field) => ({ field }));
}

function pushOf({ label, style, confirm }: Readonly<Record<string, unknown>>): Push {
  return {
    label: wordsOf(label),
    style: wordsOf(style ?? "secondary"),
    confirm: confirm === undefined ? undefined : wordsOf(confirm),
  };
}

function optionsOf(options: unknown): Option[] {
  return listOf(options).map((one) => {
    if (typeof one !== "object" || one === null)
      return { value: wordsOf(one), label: wordsOf(one) };
    const { value, label = value } = one as Readonly<Record<string, unknown>>;
    return { value: wordsOf(value), label: wordsOf(label) };
  });
}

/** Own properties alone, along `a.b.c`. */
function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || value === "" ? [] : [value];
}

/** Anything in words, for where words are shown. */
function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object"
    ? JSON.stringify(value)
    : String(value as string | number | boolean);
}
