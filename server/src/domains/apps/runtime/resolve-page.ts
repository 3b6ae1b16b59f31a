/** From a page of the deployed snapshot to what one person sees of it now. */
import { ANY_NAME } from "#kernel/expression/references.ts";
import type { Page } from "../definition/app.ts";
import { sourcesRead } from "../definition/bindings.ts";
import {
  type Component,
  idOfPlace,
  ownPropsOf,
  type PlacedComponent,
  componentsIn,
} from "../definition/component.ts";
import type { DataSource } from "../definition/data-source.ts";
import type { PageState, Part } from "./browser/tree.ts";
import { evaluateBinding, type BindingScope, toDisplayText } from "./evaluate-binding.ts";
import { componentRenderers } from "./component-renderers.ts";
import type { BrowserState, ResolveContext } from "./evaluate-binding.ts";
import { isPaged, type LoadedSource, loadAll } from "./load-sources.ts";
import type { AppSession } from "./app-session.ts";

/** Everything on a page, with each failure where it belongs. */
export async function resolvePage(
  visit: AppSession,
  page: Page,
  occasion: BrowserState,
): Promise<PageState> {
  const resolving = await prepare(visit, page, occasion, [...componentsIn(page.components)]);
  const { served, embed } = visit;
  const alone = embed !== undefined && embed.pageId !== null;
  const shown = alone ? [page] : served.snapshot.pages;
  return {
    app: served.snapshot.name,
    title: page.title,
    path: page.path,
    pages: shown.map(({ title, path }) => ({
      title,
      url: visit.pathTo(path),
      current: path === page.path,
    })),
    components: await partsOf(resolving, page.components, ""),
  };
}

/** The scope of a page, with the data that some of its components read. */
export async function prepare(
  visit: AppSession,
  page: Page,
  occasion: BrowserState,
  components: readonly PlacedComponent[],
): Promise<ResolveContext> {
  const scope = await scopeOf(visit, page, occasion);
  const needed = neededBy(components, visit.served.snapshot.dataSources);
  const loaded = await loadAll(visit, needed, scope);
  return { visit, page, occasion, scope: withData(scope, loaded), loaded };
}

/** The same with further sources, which an action reads. */
export async function withSources(
  resolving: ResolveContext,
  values: readonly unknown[],
): Promise<ResolveContext> {
  const { visit, scope, loaded } = resolving;
  const names = new Set(values.flatMap((value) => [...sourcesRead(value)]));
  const more = named(names, visit.served.snapshot.dataSources).filter(
    ({ name }) => !loaded.has(name),
  );
  const all = new Map([...loaded, ...(await loadAll(visit, more, scope))]);
  return { ...resolving, loaded: all, scope: withData(scope, all) };
}

/** Whether a component is to be seen. */
export async function isVisible({ visit, scope }: ResolveContext, { visible = true }: Component) {
  const value = await evaluateBinding(visit, visible, scope);
  return (
    value !== false && value !== null && value !== undefined && value !== "" && value !== "false"
  );
}

function withData(scope: BindingScope, loaded: ReadonlyMap<string, LoadedSource>): BindingScope {
  const data = [...loaded].flatMap(([name, one]) =>
    "value" in one ? [[name, one.value] as const] : [],
  );
  return { ...scope, data: Object.fromEntries(data) };
}

/** Inputs are those that the page has; what nobody entered is what it says. */
async function scopeOf(
  visit: AppSession,
  page: Page,
  { params, inputs }: BrowserState,
): Promise<BindingScope> {
  const { user, embed } = visit;
  const { id, name, email, roles } = user;
  const bare = {
    data: {},
    inputs: {},
    params,
    user: { id, name, email, roles },
    context: embed?.context ?? {},
  };
  const values: Record<string, unknown> = {};
  for (const { component } of componentsIn(page.components)) {
    if (component.type !== "input" && component.type !== "select") continue;
    const field = String(component["name"]);
    const entered = Object.hasOwn(inputs, field) ? inputs[field] : undefined;
    if (entered !== undefined) values[field] = entered;
    else if (component["default"] !== undefined) {
      values[field] = await evaluateBinding(visit, component["default"], bare);
    }
  }
  return { ...bare, inputs: values };
}

/** Tables read for themselves what can be read page by page; anything else is asked once for all parts. */
function neededBy(
  components: readonly PlacedComponent[],
  sources: readonly DataSource[],
): DataSource[] {
  const names = new Set<string>();
  for (const { component } of components) {
    const { dataSource, type } = component;
    const source = sources.find(({ name }) => name === dataSource);
    if (source && !(type === "table" && isPaged(source))) names.add(source.name);
    for (const name of sourcesRead(ownPropsOf(component))) names.add(name);
  }
  return named(names, sources);
}

function named(names: ReadonlySet<string>, sources: readonly DataSource[]): DataSource[] {
  return names.has(ANY_NAME) ? [...sources] : sources.filter(({ name }) => names.has(name));
}

/** A list of components as it is seen; who is not to be seen is not there. */
export async function partsOf(
  resolving: ResolveContext,
  components: readonly unknown[],
  pointer: string,
): Promise<Part[]> {
  const shown: Part[] = [];
  for (const [index, one] of components.entries()) {
    // It was checked when it was saved.
    const component = one as Component;
    const at = `${pointer}/${index}`;
    const id = component.id ?? idOfPlace(at);
    try {
      if (!(await isVisible(resolving, component))) continue;
      shown.push(await partOf(resolving, component, { id, at }));
    } catch (error) {
      shown.push({ id, type: "failed", error: toDisplayText(error) });
    }
  }
  return shown;
}

async function partOf(
  resolving: ResolveContext,
  component: Component,
  place: { readonly id: string; readonly at: string },
): Promise<Part> {
  const broken = [...sourcesRead(ownPropsOf(component)), component.dataSource ?? ""]
    .map((name) => resolving.loaded.get(name))
    .find((loaded) => loaded && "error" in loaded);
  if (broken && "error" in broken) return { id: place.id, type: "failed", error: broken.error };
  const own = (await evaluateBinding(
    resolving.visit,
    ownPropsOf(component),
    resolving.scope,
  )) as Record<string, unknown>;
  const make = componentRenderers[component.type];
  if (!make) throw new Error(`There is no component ${component.type}.`);
  const part = await make({
    ...resolving,
    component,
    own,
    id: place.id,
    inner: (pointer, list) => partsOf(resolving, list, place.at + pointer),
  });
  return { id: place.id, ...part } as Part;
}
