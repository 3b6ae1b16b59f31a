/** The draft of an app and its edits. Each edit returns a new draft; positions are JSON pointers. */
import type { Schemas } from "../../data/api.ts";
import { isFields, readPointer, writePointer } from "../../form/index.ts";

type App = Schemas["App"];

export interface Component {
  readonly type: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

export interface Page {
  readonly id?: string;
  readonly path: string;
  readonly title: string;
  readonly menu?: boolean;
  readonly components: readonly Component[];
}

export interface Source {
  readonly id?: string;
  readonly name: string;
  readonly kind: App["dataSources"][number]["kind"];
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Draft {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly theme: App["theme"];
  readonly pages: readonly Page[];
  readonly dataSources: readonly Source[];
}

export function toDraft({ name, slug, description, theme, pages, dataSources }: App): Draft {
  // The server validated the components when it stored them.
  return { name, slug, description, theme, pages: pages as readonly Page[], dataSources };
}

/** Returns the slugs of tables used by the app's sources and actions. */
export function tablesOf({ pages, dataSources }: Pick<Draft, "pages" | "dataSources">) {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isFields(value)) {
      if (typeof value["table"] === "string" && value["table"] !== "") found.add(value["table"]);
      Object.values(value).forEach(visit);
    }
  };
  visit([pages, dataSources.map(({ config }) => config)]);
  return [...found];
}

export interface ChildList {
  readonly pointer: string;
  readonly title: string;
  readonly components: readonly Component[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function childrenOf(component: Component): readonly ChildList[] {
  const { type } = component;
  if (type === "modal")
    return [
      { pointer: "/components", title: "", components: toComponents(component["components"]) },
    ];
  if (type !== "tabs" && type !== "columns") return [];
  return listOf(component[type]).map((part, n) => {
    const { title, components } = (isFields(part) ? part : {}) as Record<string, unknown>;
    const words = typeof title === "string" ? title : `Column ${n + 1}`;
    return {
      pointer: `/${type}/${n}/components`,
      title: words,
      components: toComponents(components),
    };
  });
}

const toComponents = (value: unknown): readonly Component[] =>
  listOf(value).filter((one): one is Component => isFields(one));

export const isComponentAt = (pointer: string): boolean => /\/components\/\d+$/.test(pointer);
export const pageOf = (pointer: string): number =>
  Number(/^\/pages\/(\d+)/.exec(pointer)?.[1] ?? 0);

/** Returns the list that contains a component, and its index. */
export function placeOf(pointer: string): { readonly list: string; readonly index: number } {
  const cut = pointer.lastIndexOf("/");
  return { list: pointer.slice(0, cut), index: Number(pointer.slice(cut + 1)) };
}

export const readAt = (draft: Draft, pointer: string): unknown => readPointer(draft, pointer);

export const writeAt = (draft: Draft, pointer: string, value: unknown): Draft =>
  writePointer(draft, pointer, value) as Draft;

function editList(
  draft: Draft,
  list: string,
  edit: (items: readonly unknown[]) => readonly unknown[],
): Draft {
  return writeAt(draft, list, edit(listOf(readAt(draft, list))));
}

/** An edit: the new draft and its selection. */
export interface Edit {
  readonly draft: Draft;
  readonly at: string;
}

export function insertAt(draft: Draft, list: string, index: number, component: Component): Edit {
  const fresh = withFreshIds(draft, component);
  return {
    draft: editList(draft, list, (items) => items.toSpliced(index, 0, fresh)),
    at: `${list}/${index}`,
  };
}

/** Returns where a new component goes: after the selected one, into an empty container, or at the end of the page. */
export function roomFor(
  draft: Draft,
  at: string,
): { readonly list: string; readonly index: number } {
  if (isComponentAt(at)) {
    const component = readAt(draft, at) as Component | undefined;
    const [first] = component ? childrenOf(component) : [];
    if (first?.components.length === 0) return { list: at + first.pointer, index: 0 };
    const { list, index } = placeOf(at);
    return { list, index: index + 1 };
  }
  if (at.endsWith("/components")) return { list: at, index: listOf(readAt(draft, at)).length };
  const list = `/pages/${pageOf(at)}/components`;
  return { list, index: listOf(readAt(draft, list)).length };
}

export function removeAt(draft: Draft, pointer: string): Edit {
  const { list, index } = placeOf(pointer);
  const after = editList(draft, list, (items) => items.toSpliced(index, 1));
  const left = listOf(readAt(after, list)).length;
  if (left > 0) return { draft: after, at: `${list}/${Math.min(index, left - 1)}` };
  const isTop = /^\/pages\/\d+\/components$/.test(list);
  return { draft: after, at: isTop ? `/pages/${pageOf(list)}` : ownerOf(list) };
}

/** Returns the component that a list belongs to. */
export const ownerOf = (list: string): string =>
  list.replace(/(\/(tabs|columns)\/\d+)?\/components$/, "");

/** Moves a component into a list. Indexes after its old position decrease by one. */
export function moveTo(draft: Draft, from: string, list: string, index: number): Edit | undefined {
  // A component can't be moved into itself.
  if (list === from || list.startsWith(`${from}/`)) return undefined;
  const old = placeOf(from);
  const component = readAt(draft, from);
  const isSame = old.list === list;
  const to = isSame && old.index < index ? index - 1 : index;
  if (isSame && to === old.index) return undefined;
  const without = editList(draft, old.list, (items) => items.toSpliced(old.index, 1));
  const target = shiftPointer(list, old);
  return {
    draft: editList(without, target, (items) => items.toSpliced(to, 0, component)),
    at: `${target}/${to}`,
  };
}

/** Adjusts a pointer after an earlier component was removed. */
function shiftPointer(
  pointer: string,
  left: { readonly list: string; readonly index: number },
): string {
  if (!pointer.startsWith(`${left.list}/`)) return pointer;
  const [own = "", ...rest] = pointer.slice(left.list.length + 1).split("/");
  const index = Number(own) > left.index ? Number(own) - 1 : Number(own);
  return [left.list, index, ...rest].join("/");
}

/** Moves a component up or down; at the end of a container, it moves out. */
export function moveBy(draft: Draft, pointer: string, by: 1 | -1): Edit | undefined {
  const { list, index } = placeOf(pointer);
  const last = listOf(readAt(draft, list)).length - 1;
  const isInside = by === 1 ? index < last : index > 0;
  if (isInside) return moveTo(draft, pointer, list, by === 1 ? index + 2 : index - 1);
  const owner = ownerOf(list);
  if (!isComponentAt(owner)) return undefined;
  const outer = placeOf(owner);
  return moveTo(draft, pointer, outer.list, by === 1 ? outer.index + 1 : outer.index);
}

/** Moves a component to the end of the preceding container. */
export function moveIn(draft: Draft, pointer: string): Edit | undefined {
  const { list, index } = placeOf(pointer);
  const before = readAt(draft, `${list}/${index - 1}`) as Component | undefined;
  const inner = before && childrenOf(before).at(-1);
  if (!inner) return undefined;
  return moveTo(draft, pointer, `${list}/${index - 1}${inner.pointer}`, inner.components.length);
}

export type Container = "columns" | "tabs" | "modal";

export function wrapIn(draft: Draft, pointer: string, kind: Container): Draft {
  const inner = readAt(draft, pointer) as Component;
  const around: Readonly<Record<Container, Component>> = {
    columns: { type: "columns", columns: [{ components: [inner] }, { components: [] }] },
    tabs: { type: "tabs", tabs: [{ title: "Tab 1", components: [inner] }] },
    modal: { type: "modal", title: "Details", openLabel: "Open", components: [inner] },
  };
  return writeAt(draft, pointer, around[kind]);
}

/** Iterates over all components of a page with their pointers; parents come first. */
export function* walk(
  components: readonly Component[],
  list: string,
): Generator<{ readonly component: Component; readonly pointer: string }> {
  for (const [n, component] of components.entries()) {
    const pointer = `${list}/${n}`;
    yield { component, pointer };
    for (const inner of childrenOf(component))
      yield* walk(inner.components, pointer + inner.pointer);
  }
}

/** Copies a component with new, unique ids. */
function withFreshIds(draft: Draft, component: Component): Component {
  const taken = new Set(
    draft.pages.flatMap(({ components }, n) =>
      [...walk(components, `/pages/${n}/components`)].flatMap(({ component: { id } }) => id ?? []),
    ),
  );
  const text = JSON.stringify(component, (_, value: unknown) => {
    if (!isFields(value) || typeof value["type"] !== "string" || typeof value["id"] !== "string")
      return value;
    if (!taken.has(value["id"])) return value;
    return { ...value, id: freeName(value["id"], taken) };
  });
  return JSON.parse(text) as Component;
}

/** Returns `orders` if it is unused, otherwise `orders_2`. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const numbers = Array.from({ length: 500 }, (_, n) => `${name.replace(/_\d+$/, "")}_${n + 2}`);
  return numbers.find((one) => !taken.has(one)) ?? `${name}_${Date.now()}`;
}

/** Adds pages and sources of a scaffold; duplicate names are changed, including references. */
export function addParts(draft: Draft, parts: Pick<Draft, "pages" | "dataSources">): Edit {
  const taken = new Set(draft.dataSources.map(({ name }) => name));
  let text = JSON.stringify(parts);
  for (const { name } of parts.dataSources.toSorted((a, b) => b.name.length - a.name.length)) {
    const free = freeName(name, taken);
    taken.add(free);
    if (free === name) continue;
    text = text
      .replaceAll(`"dataSource":"${name}"`, `"dataSource":"${free}"`)
      .replaceAll(`"name":"${name}","kind"`, `"name":"${free}","kind"`)
      .replaceAll(`data.${name}.`, `data.${free}.`);
  }
  const { pages, dataSources } = JSON.parse(text) as typeof parts;
  return {
    draft: {
      ...draft,
      pages: [...draft.pages, ...pages],
      dataSources: [...draft.dataSources, ...dataSources],
    },
    at: `/pages/${draft.pages.length}`,
  };
}
