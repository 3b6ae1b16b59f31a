/**
 * Runs the action of a button, a row or a form. The action comes from the deployed snapshot; the browser sends its
 * pointer, the entered values, and the id of the row.
 */
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import type { ParsedForm } from "#kernel/html/form/form-values.ts";
import { toSentence } from "#kernel/html/form/form-view.ts";
import {
  Failure,
  failure,
  type FieldError,
  Forbidden,
  NotFound,
} from "#kernel/operation/failure.ts";
import { dataOfResponse } from "#kernel/operation/call-operation.ts";
import type { Action } from "../definition/action.ts";
import { normalizePath, type Page } from "../definition/app.ts";
import {
  findAction,
  ownPropsOf,
  type PlacedComponent,
  walkComponents,
} from "../definition/component.ts";
import type { AppSession } from "./app-session.ts";
import type { Effect, Field } from "./browser/page-state.ts";
import { buildFormFields } from "./components/form.ts";
import { editedField } from "./components/table.ts";
import { type BindingScope, evaluateBinding, toDisplayText } from "./evaluate-binding.ts";
import { type BrowserState, type ResolveContext } from "./sources/load-sources.ts";
import {
  executeArtifact,
  invokeConnector,
  runSavedQuery,
  runWorkflow,
  SourceFailed,
} from "./sources/source-calls.ts";
import { findRow, findRows, getSource } from "./sources/table-page.ts";
import { parseForm } from "./parse-form.ts";
import { isVisible, prepareContext, loadFurtherSources } from "./resolve-page.ts";

const NoSuchDestination = failure("no_such_place", 422, "The path is not on this server.");

/**
 * The target of `navigate`: a page of the app, or a local path, but never another site, whatever its expressions
 * return.
 */
function resolveDestination(
  { served, embed, caller, pathTo }: AppSession,
  { page, path, params }: Readonly<Record<string, unknown>>,
): string {
  const query = toQueryTexts(params);
  if (typeof page === "string") {
    const at = normalizePath(page);
    const found = served.snapshot.pages.find((candidate) => candidate.path === at);
    const isSinglePage = embed !== undefined && embed.pageId !== null;
    if (!found || (isSinglePage && found.id !== embed.pageId)) throw new Failure(NoSuchDestination);
    return pathTo(at, query);
  }
  // An embedded app never leaves its own pages.
  if (typeof path !== "string" || embed) throw new Failure(NoSuchDestination);
  const url = toLocalRedirect(path, caller.origin);
  if (!url) throw new Failure(NoSuchDestination);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}

/** Leaves out parameters without a value. */
function toQueryTexts(params: unknown): Record<string, string> {
  const pairs = Object.entries(Object(params) as Record<string, unknown>);
  return Object.fromEntries(
    pairs
      .filter(([, value]) => value !== undefined && value !== null && typeof value !== "object")
      .map(([name, value]) => [name, String(value as string | number | boolean)]),
  );
}

const WAIT_MS = 20_000;

/** The request of a browser. */
export interface BrowserAction extends BrowserState {
  readonly componentId: string;
  /** The pointer of the action in the component: `/action`, `/submit`, `/rowActions/0/action`. */
  readonly action: string;
  /** The values of the form. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The id of the row. */
  readonly row: string | undefined;
}

/** The result of an action. */
export interface ActionResult {
  readonly effects: readonly Effect[];
  /** The types of the actions that succeeded. */
  readonly done: readonly string[];
  readonly succeeded: boolean;
}

/** Runs an action; a failure becomes an effect. Throws if the page has no such action. */
export async function executeAction(
  session: AppSession,
  page: Page,
  request: BrowserAction,
): Promise<ActionResult> {
  const all = [...walkComponents(page.components)];
  const target = all.find(({ id }) => id === request.componentId);
  if (!target) throw new Failure(NotFound);
  const action =
    findAction(target.component, request.action) ?? ownAction(session, target, request);
  if (!action) throw new Failure(NotFound);
  // Its containers must be visible too.
  const outer = all.filter(({ pointer }) => target.pointer.startsWith(`${pointer}/`));
  const prepared = await prepareContext(
    session,
    page,
    request,
    [...outer, target].map(withoutDataSource),
  );
  for (const { component } of [...outer, target]) {
    if (!(await isVisible(prepared, component))) throw new Failure(Forbidden);
  }
  const ctx = await loadFurtherSources(prepared, [action]);
  if (request.action.startsWith("/bulkActions/")) {
    return executeForRows(ctx, target, action, request);
  }
  const actionInput = await readActionInput(ctx, target, request);
  if ("errors" in actionInput) {
    const { errors } = actionInput;
    const count = errors.size === 1 ? "1 answer" : `${errors.size} answers`;
    const message = `Please correct ${count}.`;
    const effects: Effect[] = [{ kind: "error", message, fields: Object.fromEntries(errors) }];
    return { effects, done: [], succeeded: false };
  }
  return new ActionRunner(ctx, actionInput).run(action, actionInput.scope);
}

/** The maximum number of rows of a bulk action, which runs for one row at a time. */
const BULK_ROWS_MAX = 200;

/** Runs an action for each selected row; a failed row does not affect the others. */
async function executeForRows(
  ctx: ResolveContext,
  { component, id }: PlacedComponent,
  action: Action,
  { selected }: BrowserAction,
): Promise<ActionResult> {
  const ids = Object.hasOwn(selected, id) ? (selected[id] ?? []).slice(0, BULK_ROWS_MAX) : [];
  if (component["select"] !== "many" || ids.length === 0) throw new Failure(NotFound);
  const rows = await findRows(ctx, component, ids);
  const effects: Effect[] = [];
  const done: string[] = [];
  const errors: string[] = rows.length < ids.length ? ["Some rows no longer exist."] : [];
  for (const row of rows) {
    const runner = new ActionRunner(ctx, { fields: [], values: {} });
    const result = await runner.run(action, { ...ctx.scope, row });
    done.push(...result.done);
    errors.push(...result.effects.flatMap((e) => (e.kind === "error" ? [e.message] : [])));
    effects.push(...result.effects.filter(({ kind }) => kind === "navigate").slice(0, 1));
  }
  const failed = ids.length - rows.length + errors.length - (rows.length < ids.length ? 1 : 0);
  const succeeded = failed === 0;
  const last = succeeded
    ? ({
        kind: "message",
        text: `${ids.length === 1 ? "1 row" : `${ids.length} rows`} done.`,
      } as const)
    : ({ kind: "error", message: `${failed} of ${ids.length} failed: ${errors[0]}` } as const);
  return {
    effects: [last, { kind: "deselect", table: id }, ...effects.slice(0, 1), { kind: "refresh" }],
    done: [...new Set(done)],
    succeeded,
  };
}

/** Drops a form's data source, which fills its fields and is not required to submit it. */
function withoutDataSource(placed: PlacedComponent): PlacedComponent {
  const { component } = placed;
  if (component.type !== "form") return placed;
  const { dataSource: _, ...rest } = component;
  return { ...placed, component: rest as PlacedComponent["component"] };
}

/** Finds the built-in action of a component: editing a cell, moving a card. */
function ownAction(
  session: AppSession,
  { component }: PlacedComponent,
  { action }: BrowserAction,
): Action | undefined {
  const isEdit = component.type === "table" && action === "/edit";
  const isMove = component.type === "board" && action === "/move" && component["move"] === true;
  if (!isEdit && !isMove) return undefined;
  const { kind, config } = getSource(session, component.dataSource);
  if (kind !== "table") return undefined;
  // Its values are those of the change.
  return { type: "update_record", table: config["table"], id: "{{ row.id }}" };
}

interface ResolvedInput {
  readonly scope: BindingScope;
  /** The fields of the form. */
  readonly fields: readonly Pick<Field, "name" | "label">[];
  /** The form values; null for an empty field. */
  readonly values: Readonly<Record<string, unknown>>;
}

type ActionInput = ResolvedInput | Pick<ParsedForm, "errors">;

async function readActionInput(
  ctx: ResolveContext,
  { component }: PlacedComponent,
  { action, values, row: rowId }: BrowserAction,
): Promise<ActionInput> {
  const { session, scope } = ctx;
  const evaluateProps = async (): Promise<Record<string, unknown>> =>
    (await evaluateBinding(session, ownPropsOf(component), scope)) as Record<string, unknown>;
  if (component.type === "form") {
    const props = await evaluateProps();
    const fields = buildFormFields(props);
    const parsed = parseForm(fields, values, ctx.session.region);
    return parsed.errors.size > 0 ? parsed : { scope, fields, values: parsed.values };
  }
  if (!ROW_COMPONENTS.has(component.type)) return { scope, fields: [], values: {} };
  const row = rowId === undefined ? undefined : await findRow(ctx, component, rowId);
  if (!row) throw new Failure(NotFound, { detail: "This row no longer exists." });
  const rowScope = { ...scope, row };
  if (action !== "/edit" && action !== "/move") return { scope: rowScope, fields: [], values: {} };
  return readChange(ctx, { component, action, values, scope: rowScope }, await evaluateProps());
}

const ROW_COMPONENTS: ReadonlySet<string> = new Set(["table", "board", "calendar"]);

/** The new value of a cell or of a card's column; only for fields that the component allows to edit. */
function readChange(
  { session }: ResolveContext,
  change: Pick<BrowserAction, "action" | "values"> & {
    readonly component: PlacedComponent["component"];
    readonly scope: BindingScope;
  },
  props: Readonly<Record<string, unknown>>,
): ActionInput {
  const { component, action, values, scope } = change;
  const name = String(values["field"]);
  const field =
    action === "/move"
      ? { ...MOVED_FIELD, name: String(component["groupBy"]) }
      : editedField(props, name);
  if (!field) throw new Failure(Forbidden);
  const { value } = values;
  const parsed = parseForm([field], { [field.name]: value }, session.region);
  return parsed.errors.size > 0 ? parsed : { scope, fields: [field], values: parsed.values };
}

const MOVED_FIELD: Omit<Field, "name"> = {
  label: "",
  input: "text",
  required: false,
  options: [],
  value: null,
};

class ActionRunner {
  readonly #ctx: ResolveContext;
  readonly #fields: ResolvedInput["fields"];
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #effects: Effect[] = [];
  readonly #done: string[] = [];

  constructor(ctx: ResolveContext, { fields, values }: Pick<ResolvedInput, "fields" | "values">) {
    this.#ctx = ctx;
    this.#fields = fields;
    this.#values = values;
  }

  async run(action: Action, scope: BindingScope): Promise<ActionResult> {
    let succeeded = true;
    try {
      await this.#runAction(action, scope);
    } catch (error) {
      succeeded = false;
      this.#effects.push(this.#toErrorEffect(error));
    }
    const hasChanged = this.#done.some((type) => !READ_ONLY_ACTIONS.has(type));
    const hasFollowUp = this.#effects.some(({ kind }) => kind === "refresh" || kind === "navigate");
    if (hasChanged && !hasFollowUp) this.#effects.push({ kind: "refresh" });
    return { effects: this.#effects, done: this.#done, succeeded };
  }

  async #runAction(action: Action, scope: BindingScope): Promise<void> {
    const { session } = this.#ctx;
    const { type, then = [], message, ...fields } = action;
    const withForm = { ...scope, inputs: { ...scope.inputs, ...this.#formValues(type) } };
    // The template of an object evaluates to an object.
    const props = (await evaluateBinding(session, fields, withForm)) as Record<string, unknown>;
    const result = await this.#perform(type, props);
    this.#done.push(type);
    const after = { ...scope, result };
    if (message !== undefined) {
      const words = await evaluateBinding(session, message, { ...withForm, result });
      this.#effects.push({
        kind: "message",
        text: typeof words === "string" ? words : JSON.stringify(words ?? ""),
      });
    }
    for (const next of then) await this.#runAction(next, after);
  }

  async #runWorkflow(props: Record<string, unknown>): Promise<unknown> {
    const { perform, performGranted, isPublic } = this.#ctx.session;
    const waitMs = props["wait"] === true ? WAIT_MS : undefined;
    try {
      return await runWorkflow(props["granted"] === true ? performGranted : perform, props, waitMs);
    } catch (error) {
      // The message of a failed step is only for members who may read the run.
      const isRunFailure = error instanceof Failure && error.type === SourceFailed;
      if (isPublic !== true || !isRunFailure) throw error;
      throw new Failure(SourceFailed, { detail: "The action failed. Please try again later." });
    }
  }

  async #perform(type: string, props: Record<string, unknown>): Promise<unknown> {
    const { session } = this.#ctx;
    const { perform } = session;
    switch (type) {
      case "create_record": {
        const body = props["values"] ?? this.#formValues(type);
        return dataOfResponse(
          await perform("records.create", { params: { slug: props["table"] }, body }),
        );
      }
      case "update_record": {
        const body = props["values"] ?? this.#formValues(type);
        return dataOfResponse(
          await perform("records.update", { params: recordParams(props), body }),
        );
      }
      case "delete_record":
        return perform("records.delete", { params: recordParams(props) });
      case "run_workflow":
        return this.#runWorkflow(props);
      case "invoke_connector":
        return invokeConnector(perform, props);
      case "execute_artifact":
        return executeArtifact(perform, props);
      case "run_query":
        return (await runSavedQuery(perform, props)).rows;
      case "create_ticket": {
        const body = props["values"] ?? this.#formValues(type);
        const { kind = "incident" } = props;
        return dataOfResponse(await perform(`${String(kind)}s.create`, { body }));
      }
      case "navigate":
        this.#effects.push({ kind: "navigate", url: resolveDestination(session, props) });
        return null;
      case "refresh": {
        const sources = props["sources"] as readonly string[] | undefined;
        this.#effects.push({ kind: "refresh", ...(sources && { sources }) });
        return null;
      }
      default:
        throw new Error(`There is no action ${type}.`);
    }
  }

  /** The entered values. An empty field is omitted, so that defaults apply; in an update it clears the value. */
  #formValues(type: string): Readonly<Record<string, unknown>> {
    if (type === "update_record") return this.#values;
    return Object.fromEntries(Object.entries(this.#values).filter(([, value]) => value !== null));
  }

  #toErrorEffect(error: unknown): Effect {
    const message = toDisplayText(error);
    const errors = error instanceof Failure ? (error.particulars.errors ?? []) : [];
    const fields = Object.fromEntries(
      errors.flatMap((fieldError) => this.#toFieldMessage(fieldError)),
    );
    return { kind: "error", message, ...(Object.keys(fields).length > 0 && { fields }) };
  }

  #toFieldMessage({ path, message }: FieldError): (readonly [string, string])[] {
    const name = path.replace(/^\/(values\/)?/, "");
    const field = this.#fields.find((one) => one.name === name);
    return field ? [[name, toSentence(field.label, message)]] : [];
  }
}

/** Actions that change no data. */
const READ_ONLY_ACTIONS: ReadonlySet<string> = new Set(["navigate", "refresh", "run_query"]);

function recordParams({ table, id }: Record<string, unknown>) {
  return { slug: table, recordId: typeof id === "string" ? id : "" };
}
