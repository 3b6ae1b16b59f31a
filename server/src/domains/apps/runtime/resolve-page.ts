/** Resolves a page of the deployed snapshot to its current state for one caller. */
import { ANY_NAME } from "#kernel/expression/references.ts";
import { isLargerThan } from "#kernel/schema/json-value.ts";
import type { Page } from "../definition/app.ts";
import { listSourcesRead } from "../definition/bindings.ts";
import {
  type Component,
  idFromPointer,
  ownPropsOf,
  type PlacedComponent,
  walkComponents,
} from "../definition/component.ts";
import type { DataSource } from "../definition/data-source.ts";
import type { PageState, ResolvedComponent } from "./browser/page-state.ts";
import { evaluateBinding, type BindingScope, toDisplayText } from "./evaluate-binding.ts";
import { componentRenderers } from "./components/component-renderers.ts";
import {
  type BrowserState,
  DEFERRED,
  type LoadedSource,
  loadSources,
  type ResolveContext,
} from "./sources/load-sources.ts";
import { runPage } from "./sources/large-page.ts";
import { isPaged } from "./sources/table-page.ts";
import type { AppSession } from "./app-session.ts";
import { PageMarkdown } from "./markdown/render-markdown.ts";

/** The size limit of a page: each component may show all rows of a source. */
const PAGE_CHARACTERS_MAX = 16 * 1024 * 1024;
const TOO_LARGE: ResolvedComponent[] = [
  { id: "_", type: "failed", error: "The page has too many components." },
];

/** Resolves all components of a page; an error replaces only its component. */
export function resolvePage(
  session: AppSession,
  page: Page,
  browserState: BrowserState,
): Promise<PageState> {
  return useResolvedPage(session, page, browserState, (state) => Promise.resolve(state));
}

/** Resolves a page and uses the result; only one large page per workspace at a time. */
export async function useResolvedPage<T>(
  session: AppSession,
  page: Page,
  browserState: BrowserState,
  use: (state: PageState) => Promise<T>,
): Promise<T> {
  const placed = [...walkComponents(page.components)];
  // Sources may wait for other systems, and must not block other pages.
  const ctx = await prepareContext(session, page, browserState, placed);
  return runPage(session, placed, async () => use(await resolveState(ctx)));
}

async function resolveState(ctx: ResolveContext): Promise<PageState> {
  const { session, page } = ctx;
  const { served, embed } = session;
  const isSinglePage = embed !== undefined && embed.pageId !== null;
  const linked = isSinglePage ? [page] : served.snapshot.pages.filter(({ menu }) => menu !== false);
  const isDeferred = [...ctx.loaded.values()].includes(DEFERRED);
  const components = await resolveComponents(ctx, page.components, "");
  return {
    region: session.region,
    ...(isDeferred && { deferred: true }),
    app: served.snapshot.name,
    title: page.title,
    path: page.path,
    mode: served.snapshot.theme?.mode ?? "auto",
    pages: linked.map(({ title, path }) => ({
      title,
      url: session.pathTo(path),
      current: path === page.path,
    })),
    components: isLargerThan(components, PAGE_CHARACTERS_MAX) ? TOO_LARGE : components,
    ...(!embed &&
      session.isPublic !== true && {
        user: {
          name: session.user.name,
          home: `${session.prefix}/`,
          logOut: `${session.prefix}/logout`,
        },
      }),
  };
}

/** Builds the scope of a page, and loads the sources of these components. */
export async function prepareContext(
  session: AppSession,
  page: Page,
  browserState: BrowserState,
  components: readonly PlacedComponent[],
): Promise<ResolveContext> {
  const scope = await buildScope(session, page, browserState);
  const needed = findNeededSources(components, session.served.snapshot.dataSources);
  const loaded = await loadSources(session, needed, scope);
  const markdown = new PageMarkdown(session.partition.workspace);
  return { session, page, browserState, scope: withData(scope, loaded), loaded, markdown };
}

/** Loads additional sources, which an action reads. */
export async function loadFurtherSources(
  ctx: ResolveContext,
  values: readonly unknown[],
): Promise<ResolveContext> {
  const { session, scope, loaded } = ctx;
  const names = new Set(values.flatMap((value) => [...listSourcesRead(value)]));
  const more = selectSources(names, session.served.snapshot.dataSources).filter(
    ({ name }) => !loaded.has(name),
  );
  const all = new Map([...loaded, ...(await loadSources(session, more, scope))]);
  return { ...ctx, loaded: all, scope: withData(scope, all) };
}

/** Evaluates the visibility of a component. */
export async function isVisible({ session, scope }: ResolveContext, { visible = true }: Component) {
  const value = await evaluateBinding(session, visible, scope);
  return (
    value !== false && value !== null && value !== undefined && value !== "" && value !== "false"
  );
}

function withData(scope: BindingScope, loaded: ReadonlyMap<string, LoadedSource>): BindingScope {
  const data = [...loaded].flatMap(([name, source]) =>
    "value" in source ? [[name, source.value] as const] : [],
  );
  return { ...scope, data: Object.fromEntries(data) };
}

/** Reads only the inputs of the page; uses their defaults if omitted. */
async function buildScope(
  session: AppSession,
  page: Page,
  { params, inputs, selected }: BrowserState,
): Promise<BindingScope> {
  const { user, embed } = session;
  const { id, name, email, roles } = user;
  const base = {
    data: {},
    inputs: {},
    params,
    selected: readSelection(page, selected),
    user: { id, name, email, roles },
    context: embed?.context ?? {},
  };
  const values: Record<string, unknown> = {};
  for (const { component } of walkComponents(page.components)) {
    if (component.type !== "input" && component.type !== "select") continue;
    const field = String(component["name"]);
    const entered = Object.hasOwn(inputs, field) ? inputs[field] : undefined;
    if (entered !== undefined) values[field] = entered;
    else if (component["default"] !== undefined) {
      values[field] = await evaluateBinding(session, component["default"], base);
    }
  }
  return { ...base, inputs: values };
}

/** The selected rows of the page's own tables: one id, or a list of them. */
function readSelection(
  { components }: Page,
  selected: BrowserState["selected"],
): Readonly<Record<string, unknown>> {
  const tables = [...walkComponents(components)].filter(
    ({ component }) => component["select"] !== undefined,
  );
  const entries = tables.map(({ id, component }) => {
    const ids = Object.hasOwn(selected, id) ? (selected[id] ?? []) : [];
    return [id, component["select"] === "one" ? (ids[0] ?? null) : ids];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

/** The sources that components read, except those that tables read page by page. */
function findNeededSources(
  components: readonly PlacedComponent[],
  sources: readonly DataSource[],
): DataSource[] {
  const names = new Set<string>();
  for (const { component } of components) {
    const { dataSource, type } = component;
    const source = sources.find(({ name }) => name === dataSource);
    const isPage = source && (type === "table" ? isPaged(source) : isMonth(type, source));
    if (source && !isPage) names.add(source.name);
    for (const name of listSourcesRead(ownPropsOf(component))) names.add(name);
  }
  return selectSources(names, sources);
}

/** Returns whether a component is a calendar, which reads one month of a list. */
function isMonth(type: string, { kind }: DataSource): boolean {
  return type === "calendar" && (kind === "table" || kind === "tickets");
}

function selectSources(names: ReadonlySet<string>, sources: readonly DataSource[]): DataSource[] {
  return names.has(ANY_NAME) ? [...sources] : sources.filter(({ name }) => names.has(name));
}

/** Resolves a list of components; leaves out invisible ones. */
export async function resolveComponents(
  ctx: ResolveContext,
  components: readonly unknown[],
  pointer: string,
): Promise<ResolvedComponent[]> {
  const resolved: ResolvedComponent[] = [];
  for (const [index, value] of components.entries()) {
    // It was validated when it was saved.
    const component = value as Component;
    const at = `${pointer}/${index}`;
    const id = component.id ?? idFromPointer(at);
    try {
      if (!(await isVisible(ctx, component))) continue;
      resolved.push(await resolveComponent(ctx, component, { id, at }));
    } catch (error) {
      resolved.push({ id, type: "failed", error: toDisplayText(error) });
    }
  }
  return resolved;
}

async function resolveComponent(
  ctx: ResolveContext,
  component: Component,
  position: { readonly id: string; readonly at: string },
): Promise<ResolvedComponent> {
  const read = [...listSourcesRead(ownPropsOf(component)), component.dataSource ?? ""].flatMap(
    (name) => (name === ANY_NAME ? [...ctx.loaded.values()] : (ctx.loaded.get(name) ?? [])),
  );
  const failedSource = read.find((loaded) => "error" in loaded);
  if (failedSource && "error" in failedSource)
    return { id: position.id, type: "failed", error: failedSource.error };
  const cuts = new Set(read.flatMap((loaded) => ("cut" in loaded ? (loaded.cut ?? []) : [])));
  const props = (await evaluateBinding(ctx.session, ownPropsOf(component), ctx.scope)) as Record<
    string,
    unknown
  >;
  // Only own properties: an inherited one is not a renderer, and would return its input.
  const render = Object.hasOwn(componentRenderers, component.type)
    ? componentRenderers[component.type]
    : undefined;
  if (!render) throw new Error(`There is no component ${component.type}.`);
  const rendered = await render({
    ...ctx,
    component,
    props,
    id: position.id,
    renderChildren: (pointer, list) => resolveComponents(ctx, list, position.at + pointer),
  });
  // A number based on incomplete data must be marked.
  const notice = cuts.size > 0 && `Only ${[...cuts].join(" and ")}.`;
  return {
    id: position.id,
    ...(notice && { notice }),
    ...rendered,
  } as ResolvedComponent;
}
