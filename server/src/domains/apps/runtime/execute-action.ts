/**
 * Carries out what a button, a row or a form does. The action is that of the deployed snapshot; the
 * browser says which one, what was entered, and by its id which row.
 */
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import {
  Failure,
  failure,
  type FieldError,
  Forbidden,
  NotFound,
} from "#kernel/operation/failure.ts";
import { dataOfResponse } from "../call-operation.ts";
import type { Action } from "../definition/action.ts";
import { normalPath, type Page } from "../definition/app.ts";
import {
  actionAt,
  ownPropsOf,
  type PlacedComponent,
  componentsIn,
} from "../definition/component.ts";
import type { AppSession } from "./app-session.ts";
import type { Effect, Field } from "./browser/tree.ts";
import { formFields } from "./component-renderers.ts";
import {
  evaluateBinding,
  type BrowserState,
  type ResolveContext,
  type BindingScope,
  toDisplayText,
} from "./evaluate-binding.ts";
import { executeArtifact, invokeConnector, rowOf, runQuery, runWorkflow } from "./load-sources.ts";
import { isVisible, prepare, withSources } from "./resolve-page.ts";

const TEXT_CHARACTERS_MAX = 20_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** As browsers send it, or with a zone. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** The values of a form that was filled in, or what is wrong with them by the names of the fields. */
export type Filled =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly faults: Readonly<Record<string, string>> };

/** Only what the form asks for is taken; what is left empty is null. */
function fill(fields: readonly Field[], given: Readonly<Record<string, unknown>>): Filled {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const read = readField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if ("fault" in read) faults[field.name] = read.fault;
    else values[field.name] = read.value;
  }
  return Object.keys(faults).length > 0 ? { faults } : { values };
}

type Read = { readonly value: unknown } | { readonly fault: string };

function readField(field: Field, given: unknown): Read {
  const { input, required } = field;
  if (input === "checkbox") {
    const value = given === true || given === "true" || given === "on";
    return required && !value ? { fault: "must be ticked" } : { value };
  }
  const isNothing = given === undefined || given === null || given === "";
  if (isNothing) return required ? { fault: "is required" } : { value: null };
  if (typeof given === "object" || typeof given === "boolean")
    return { fault: "has the wrong form" };
  return readText(field, String(given as string | number));
}

function readText({ input, options }: Field, text: string): Read {
  if (text.length > TEXT_CHARACTERS_MAX) return { fault: "is too long" };
  switch (input) {
    case "number": {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(value) ? { value } : { fault: "must be a number" };
    }
    case "date":
      return DATE.test(text) && isTime(text) ? { value: text } : { fault: "must be a date" };
    case "datetime": {
      if (!DATE_TIME.test(text) || !isTime(text)) return { fault: "must be a date and a time" };
      // Without a zone it is meant as everything here is shown: in UTC.
      const zoned = /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
      return { value: new Date(zoned).toISOString() };
    }
    case "select":
      return options.some(({ value }) => value === text)
        ? { value: text }
        : { fault: "must be one of the options" };
    default:
      return { value: text };
  }
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

const NoSuchPlace = failure("no_such_place", 422, "This leads nowhere within this installation.");

/** Where a `navigate` leads: a page of the app, or a path of ours. Whatever its bindings gave, never elsewhere. */
function destinationOf(
  { served, embed, caller, pathTo }: AppSession,
  { page, path, params }: Readonly<Record<string, unknown>>,
): string {
  const query = textsOf(params);
  if (typeof page === "string") {
    const at = normalPath(page);
    const found = served.snapshot.pages.find((one) => one.path === at);
    const alone = embed !== undefined && embed.pageId !== null;
    if (!found || (alone && found.id !== embed.pageId)) throw new Failure(NoSuchPlace);
    return pathTo(at, query);
  }
  // A frame stays with the app that it shows.
  if (typeof path !== "string" || embed) throw new Failure(NoSuchPlace);
  const url = toLocalRedirect(path, caller.origin);
  if (!url) throw new Failure(NoSuchPlace);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}

/** What has no value is left out. */
function textsOf(params: unknown): Record<string, string> {
  const pairs = Object.entries(Object(params) as Record<string, unknown>);
  return Object.fromEntries(
    pairs
      .filter(([, value]) => value !== undefined && value !== null && typeof value !== "object")
      .map(([name, value]) => [name, String(value as string | number | boolean)]),
  );
}

const WAIT_MS = 20_000;

/** What the browser asks for. */
export interface BrowserAction extends BrowserState {
  readonly componentId: string;
  /** Where in the component: `/action`, `/submit`, `/rowActions/0/action`. */
  readonly action: string;
  /** Of the form. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The id of the row. */
  readonly row: string | undefined;
}

/** What came of it. */
export interface ActionResult {
  readonly effects: readonly Effect[];
  /** The types of those actions that were done. */
  readonly done: readonly string[];
  readonly succeeded: boolean;
}

/** Does it, or says in its effects why not. Throws when there is nothing of the kind on the page. */
export async function executeAction(
  visit: AppSession,
  page: Page,
  pushed: BrowserAction,
): Promise<ActionResult> {
  const all = [...componentsIn(page.components)];
  const target = all.find(({ id }) => id === pushed.componentId);
  const action = target && actionAt(target.component, pushed.action);
  if (!target || !action) throw new Failure(NotFound);
  // What it stands in must be seen too.
  const outer = all.filter(({ pointer }) => target.pointer.startsWith(`${pointer}/`));
  const prepared = await prepare(visit, page, pushed, [...outer, target].map(bare));
  for (const { component } of [...outer, target]) {
    if (!(await isVisible(prepared, component))) throw new Failure(Forbidden);
  }
  const resolving = await withSources(prepared, [action]);
  const entered = await enteredIn(resolving, target, pushed);
  if ("faults" in entered) {
    const message = "Some fields need another look.";
    const effects: Effect[] = [{ kind: "error", message, fields: entered.faults }];
    return { effects, done: [], succeeded: false };
  }
  return new Acting(resolving, entered.fields).carryOut(action, entered.scope);
}

/** What a form was filled with to begin with is not needed for what it does. */
function bare(placed: PlacedComponent): PlacedComponent {
  const { component } = placed;
  if (component.type !== "form") return placed;
  const { dataSource: _, ...rest } = component;
  return { ...placed, component: rest as PlacedComponent["component"] };
}

type Entered =
  | { readonly scope: BindingScope; readonly fields: readonly string[] }
  | { readonly faults: Readonly<Record<string, string>> };

async function enteredIn(
  resolving: ResolveContext,
  { component }: PlacedComponent,
  { values, row: rowId }: BrowserAction,
): Promise<Entered> {
  const { visit, scope } = resolving;
  if (component.type === "form") {
    const own = (await evaluateBinding(visit, ownPropsOf(component), scope)) as Record<
      string,
      unknown
    >;
    const fields = formFields(own);
    const filled = fill(fields, values);
    if ("faults" in filled) return filled;
    const inputs = { ...scope.inputs, ...filled.values };
    return { scope: { ...scope, inputs }, fields: fields.map(({ name }) => name) };
  }
  if (component.type !== "table") return { scope, fields: [] };
  const row = rowId === undefined ? undefined : await rowOf(resolving, component, rowId);
  if (!row) throw new Failure(NotFound, { detail: "This row is no longer there." });
  return { scope: { ...scope, row }, fields: [] };
}

class Acting {
  readonly #resolving: ResolveContext;
  readonly #fields: readonly string[];
  readonly #effects: Effect[] = [];
  readonly #done: string[] = [];

  constructor(resolving: ResolveContext, fields: readonly string[]) {
    this.#resolving = resolving;
    this.#fields = fields;
  }

  async carryOut(action: Action, scope: BindingScope): Promise<ActionResult> {
    let succeeded = true;
    try {
      await this.#do(action, scope);
    } catch (error) {
      succeeded = false;
      this.#effects.push(this.#errorOf(error));
    }
    const changed = this.#done.some((type) => !STILL.has(type));
    const told = this.#effects.some(({ kind }) => kind === "refresh" || kind === "navigate");
    if (changed && !told) this.#effects.push({ kind: "refresh" });
    return { effects: this.#effects, done: this.#done, succeeded };
  }

  async #do(action: Action, scope: BindingScope): Promise<void> {
    const { visit } = this.#resolving;
    const { type, then = [], message, ...fields } = action;
    // A template of an object gives an object.
    const own = (await evaluateBinding(visit, fields, scope)) as Record<string, unknown>;
    const result = await this.#perform(type, own, scope);
    this.#done.push(type);
    const after = { ...scope, result };
    if (message !== undefined) {
      const words = await evaluateBinding(visit, message, after);
      this.#effects.push({
        kind: "message",
        text: typeof words === "string" ? words : JSON.stringify(words ?? ""),
      });
    }
    for (const next of then) await this.#do(next, after);
  }

  async #perform(
    type: string,
    own: Record<string, unknown>,
    scope: BindingScope,
  ): Promise<unknown> {
    const { visit } = this.#resolving;
    const { perform } = visit;
    switch (type) {
      case "create_record": {
        const body = this.#valuesOf(own, scope);
        return dataOfResponse(
          await perform("records.create", { params: { slug: own["table"] }, body }),
        );
      }
      case "update_record": {
        const body = this.#valuesOf(own, scope);
        return dataOfResponse(await perform("records.update", { params: recordOf(own), body }));
      }
      case "delete_record":
        return perform("records.delete", { params: recordOf(own) });
      case "run_workflow":
        return runWorkflow(perform, own, own["wait"] === true ? WAIT_MS : undefined);
      case "invoke_connector":
        return invokeConnector(perform, own);
      case "execute_artifact":
        return executeArtifact(perform, own);
      case "run_query":
        return runQuery(perform, own);
      case "navigate":
        this.#effects.push({ kind: "navigate", url: destinationOf(visit, own) });
        return null;
      case "refresh": {
        const sources = own["sources"] as readonly string[] | undefined;
        this.#effects.push({ kind: "refresh", ...(sources && { sources }) });
        return null;
      }
      default:
        throw new Error(`There is no action ${type}.`);
    }
  }

  /** Those that the action names or, without them, what was entered in the form. */
  #valuesOf({ values }: Record<string, unknown>, { inputs }: BindingScope): unknown {
    return values ?? Object.fromEntries(this.#fields.map((name) => [name, inputs[name]]));
  }

  #errorOf(error: unknown): Effect {
    const message = toDisplayText(error);
    const faults = error instanceof Failure ? (error.particulars.errors ?? []) : [];
    const fields = Object.fromEntries(faults.flatMap((fault) => this.#ofField(fault)));
    return { kind: "error", message, ...(Object.keys(fields).length > 0 && { fields }) };
  }

  #ofField({ path, message }: FieldError): (readonly [string, string])[] {
    const name = path.replace(/^\/(values\/)?/, "");
    return this.#fields.includes(name) ? [[name, message]] : [];
  }
}

/** After these, everything is as it was. */
const STILL: ReadonlySet<string> = new Set(["navigate", "refresh", "run_query"]);

function recordOf({ table, id }: Record<string, unknown>) {
  return { slug: table, recordId: typeof id === "string" ? id : "" };
}
