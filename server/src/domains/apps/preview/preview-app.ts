/**
 * Shows a draft as a member with a role would see it: rendered by the runtime of deployed apps, with real data, and
 * not saved.
 */
import Type from "typebox";
import { Compile } from "typebox/compile";
import { intersectRights, resolvePermissions } from "#domains/identity/accounts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { operationCallerFor } from "#kernel/operation/call-operation.ts";
import {
  Failure,
  type FieldError,
  Forbidden,
  invalidField,
  Unauthenticated,
} from "#kernel/operation/failure.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { type AppData, normalizePath } from "../definition/app.ts";
import { definitionErrors, ERRORS_MAX } from "../definition/check-definition.ts";
import { childrenOf, idFromPointer } from "../definition/component.ts";
import { draftFields } from "../definition/draft.ts";
import type { Snapshot } from "../deployments/deployment.ts";
import { type AppSession, readRegion, withTimeZone } from "../runtime/app-session.ts";
import { prefixOf } from "../runtime/address.ts";
import type { PageState } from "../runtime/browser/page-state.ts";
import { prepareContext, resolvePage } from "../runtime/resolve-page.ts";
import { type BrowserState, loadSources } from "../runtime/sources/load-sources.ts";

const SAMPLE_ROWS = 20;
const SAMPLE_CHARACTERS_MAX = 200_000;
const DEPTH_MAX = 8;

type Draft = Pick<AppData, "name" | "theme" | "pages" | "dataSources">;

export interface PreviewInput extends BrowserState {
  readonly definition: Draft;
  /** The path of the page. */
  readonly page: string;
  /** The id of a role. */
  readonly role?: string | undefined;
  readonly timeZone?: string | undefined;
  /** True to load sources that may change something, too. */
  readonly withEffects: boolean;
}

export interface Preview {
  readonly state: PageState;
  /** The JSON pointers of components, by their ids in the state. */
  readonly pointers: Readonly<Record<string, string>>;
  readonly problems: readonly FieldError[];
  /** The scope of the page's bindings. */
  readonly scope: object;
  readonly sources: readonly PreviewedSource[];
}

interface PreviewedSource {
  readonly name: string;
  readonly rows: number | null;
  readonly error: string | null;
}

export async function previewApp(
  platform: Platform,
  caller: Caller,
  input: PreviewInput,
): Promise<Preview> {
  const problems = findProblems(input.definition);
  const definition = withoutBroken(input.definition, problems);
  const session = await openPreview(platform, caller, { ...input, definition });
  const path = normalizePath(input.page);
  const at = Math.max(
    0,
    definition.pages.findIndex((page) => normalizePath(page.path) === path),
  );
  const page = definition.pages[at];
  if (!page) throw invalidField("/page", "is not a page of this app");
  const ctx = await prepareContext(session, page, input, []);
  const [state, loaded] = await Promise.all([
    resolvePage(session, page, input),
    loadSources(session, definition.dataSources.map(toSample), ctx.scope),
  ]);
  const data = Object.fromEntries(
    [...loaded].flatMap(([name, source]) =>
      "value" in source && isSmall(source.value) ? [[name, source.value]] : [],
    ),
  );
  return {
    state,
    pointers: Object.fromEntries(walkPointers(page.components, `/pages/${at}/components`, "")),
    problems,
    scope: { ...ctx.scope, data },
    sources: definition.dataSources.flatMap(({ name }) => {
      const source = loaded.get(name);
      if (!source) return [];
      const rows = "value" in source && Array.isArray(source.value) ? source.value.length : null;
      return [{ name, rows, error: "error" in source ? source.error : null }];
    }),
  };
}

/** A few rows are enough to name fields by. */
function toSample(source: Draft["dataSources"][number]) {
  const { kind, config } = source;
  if (kind !== "table" && kind !== "tickets") return source;
  const limit = Math.min(SAMPLE_ROWS, Number(config["limit"] ?? SAMPLE_ROWS));
  return { ...source, config: { ...config, limit } };
}

const isSmall = (value: unknown): boolean =>
  (JSON.stringify(value) ?? "").length <= SAMPLE_CHARACTERS_MAX;

const compiledDraft = Compile(Type.Object(draftFields));

/** Returns all problems that would prevent saving. */
function findProblems(definition: Draft): readonly FieldError[] {
  const { pages, dataSources } = definition;
  const sent = {
    ...definition,
    pages: pages.map(withoutNewId),
    dataSources: dataSources.map(withoutNewId),
  };
  const shape = compiledDraft.Check(sent) ? [] : fieldErrors(compiledDraft.Errors(sent));
  return [...shape, ...definitionErrors(definition)];
}

/** A new part has no id yet. */
function withoutNewId<Part extends { readonly id: string }>(part: Part): object {
  const { id, ...rest } = part;
  return id === "" ? rest : part;
}

/** Replaces each component that cannot be rendered with a notice. */
function withoutBroken(definition: Draft, problems: readonly FieldError[]): Draft {
  const messages = new Map(
    problems.flatMap(({ path, message }) => {
      const [at] = COMPONENT_POINTER.exec(path) ?? [];
      return at === undefined ? [] : [[at, `${path.slice(at.length + 1)} ${message}`] as const];
    }),
  );
  // Parts beyond the limit, or in a definition with a general problem such as its size, were not checked.
  const unchecked =
    problems.find(({ path }) => path === "")?.message ??
    (problems.length >= ERRORS_MAX ? "The definition has too many problems." : undefined);
  const isBroken = (at: number): boolean =>
    unchecked !== undefined || problems.some(({ path }) => path.startsWith(`/dataSources/${at}/`));
  const kept = definition.dataSources.filter((_, at) => !isBroken(at));
  const repair = (components: readonly unknown[], pointer: string, depth: number): unknown[] =>
    components.map((component, index) => {
      const at = `${pointer}/${index}`;
      const message = messages.get(at);
      const fields = Object(component) as Record<string, unknown>;
      const { id, dataSource } = fields;
      const isLost =
        typeof dataSource === "string" && !kept.some(({ name }) => name === dataSource);
      if (message !== undefined || isLost || depth > DEPTH_MAX) {
        const reason = message ?? `The data source ${String(dataSource as string)} has problems.`;
        return { type: "problem", ...(typeof id === "string" && { id }), message: reason };
      }
      return replaceChildren(fields, (list, within) => repair(list, at + within, depth + 1));
    });
  return {
    ...definition,
    pages: definition.pages.map((page, index) => {
      const at = `/pages/${index}/components`;
      // A page with too many problems is not checked completely.
      const whole = unchecked ?? problems.find(({ path }) => path === at)?.message;
      const components =
        whole === undefined
          ? repair(page.components, at, 1)
          : [{ type: "problem", message: whole }];
      return { ...page, components };
    }),
    dataSources: kept,
  };
}

/** Matches the innermost component that a path leads into. */
const COMPONENT_POINTER =
  /^\/pages\/\d+\/components\/\d+(\/((tabs|columns)\/\d+\/)?components\/\d+)*(?=\/|$)/;

function replaceChildren(
  component: Record<string, unknown>,
  replace: (components: readonly unknown[], pointer: string) => unknown[],
): Record<string, unknown> {
  const lists = childrenOf(component).map(({ pointer, components }) =>
    replace(components, pointer),
  );
  const { type } = component;
  if (type === "modal") return { ...component, components: lists[0] };
  if (type !== "tabs" && type !== "columns") return component;
  const parts = (component[type] as readonly object[]).map((part, at) => ({
    ...part,
    components: lists[at],
  }));
  return { ...component, [type]: parts };
}

function* walkPointers(
  components: readonly unknown[],
  base: string,
  within: string,
): Generator<readonly [string, string]> {
  for (const [index, value] of components.entries()) {
    const component = value as Record<string, unknown>;
    const at = `${within}/${index}`;
    const { id } = component;
    yield [typeof id === "string" ? id : idFromPointer(at), base + at];
    for (const { pointer, components: inner } of childrenOf(component))
      yield* walkPointers(inner, base, at + pointer);
  }
}

/** A session for the draft, with the caller's rights or, with a role, the rights that both have. */
async function openPreview(
  platform: Platform,
  caller: Caller,
  input: PreviewInput,
): Promise<AppSession> {
  const { workspace, credential, principal, environment } = caller;
  if (!workspace || !credential || !principal) throw new Failure(Unauthenticated);
  const partition = { workspace: workspace.key, environment };
  const [region, granted] = await platform.db.read(partition, (tx) =>
    Promise.all([readRegion(tx), input.role === undefined ? [] : findGranted(tx, input.role)]),
  );
  const own = { permissions: caller.permissions, principal };
  const rights =
    input.role === undefined
      ? own
      : intersectRights(own, {
          permissions: resolvePermissions([input.role], granted, platform.permissions),
          principal: { id: principal.id, roles: [input.role] },
        });
  if (!caller.permissions.has("apps:write")) throw new Failure(Forbidden);
  const seen: Caller = { ...caller, ...rights, isDelegated: true };
  const { name, theme, pages, dataSources } = input.definition;
  const snapshot: Snapshot = { name, theme, pages: pages.map(withPath), dataSources };
  return {
    platform,
    caller: seen,
    partition,
    perform: operationCallerFor(platform, seen, "/apps/preview"),
    performGranted: operationCallerFor(platform, seen, "/apps/preview"),
    user: { ...credential.user, roles: rights.principal.roles },
    served: {
      appId: "",
      slug: "",
      deploymentId: "",
      snapshot,
      deployedBy: principal.id,
      permissions: null,
    },
    pathTo: (path) => `#${path}`,
    region: withTimeZone(region, input.timeZone),
    prefix: prefixOf(caller.origin),
    workspaceSlug: "",
    defersEffects: !input.withEffects,
  };
}

const withPath = (page: Draft["pages"][number]) => ({ ...page, path: normalizePath(page.path) });

/** The permissions of a custom role; empty for a built-in one. */
async function findGranted(tx: Parameters<typeof queryRows>[0], role: string): Promise<string[]> {
  const rows = await queryRows(tx, "select permissions from roles where id = $1", [role]);
  return rows.flatMap((row) => row["permissions"] as string[]);
}
