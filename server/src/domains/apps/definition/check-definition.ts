/**
 * Everything that can be known to be wrong with a definition when it is saved: what it names within
 * itself, the shape of each part, the syntax of each expression. Whether tables, workflows and the like
 * are there is another question in each environment, and a deployment's to ask.
 */
import Type, { type TProperties, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { type FieldError, Failure, Invalid } from "#kernel/operation/failure.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { ACTION_COMMON, ACTIONS } from "./action.ts";
import { type AppData, normalPath, PAGES_MAX, SOURCES_MAX } from "./app.ts";
import { faultsOfBindings, PAGE_ROOTS, SOURCE_ROOTS } from "./bindings.ts";
import { actionsOf, COMPONENT_COMMON, COMPONENTS, childrenOf, ownPropsOf } from "./component.ts";
import { SOURCES } from "./data-source.ts";

const DEPTH_MAX = 8;
const COMPONENTS_MAX = 300;
const ACTION_DEPTH_MAX = 5;
const CHARACTERS_MAX = 256 * 1024;
const FAULTS_MAX = 100;

/** The part of an app that refers to itself. */
export type Definition = Pick<AppData, "pages" | "dataSources">;

/** Throws a 422 with all faults, by the paths that these parts have in the request. */
export function assertValidDefinition(
  definition: Definition,
  rename: (path: string) => string,
): void {
  const faults = definitionErrors(definition);
  if (faults.length === 0) return;
  const errors = faults.map((fault) => ({ ...fault, path: rename(fault.path) }));
  const [first] = errors;
  throw new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors });
}

/** All faults, each with its JSON pointer. */
export function definitionErrors(definition: Definition): readonly FieldError[] {
  if (JSON.stringify(definition).length > CHARACTERS_MAX) {
    return [{ path: "", message: `must not have more than ${CHARACTERS_MAX} characters as JSON` }];
  }
  const checker = new Checker(definition);
  checker.check();
  return checker.faults.slice(0, FAULTS_MAX);
}

class Checker {
  readonly faults: FieldError[] = [];
  readonly #definition: Definition;
  readonly #sources: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;

  constructor(definition: Definition) {
    this.#definition = definition;
    this.#sources = new Set(definition.dataSources.map(({ name }) => name));
    this.#paths = new Set(definition.pages.map(({ path }) => normalPath(path)));
  }

  check(): void {
    const { pages, dataSources } = this.#definition;
    if (pages.length > PAGES_MAX) this.#fault("/pages", `must not be more than ${PAGES_MAX}`);
    if (dataSources.length > SOURCES_MAX) {
      this.#fault("/dataSources", `must not be more than ${SOURCES_MAX}`);
    }
    this.#once(dataSources.map(({ name }, at) => [name, `/dataSources/${at}/name`]));
    this.#once(pages.map(({ path }, at) => [normalPath(path), `/pages/${at}/path`]));
    for (const [at, { kind, config }] of dataSources.entries()) {
      const place = `/dataSources/${at}/config`;
      this.#shape(config, Type.Object(SOURCES[kind], CLOSED), place);
      this.faults.push(...faultsOfBindings(config, place, { roots: SOURCE_ROOTS, sources: NONE }));
    }
    for (const [at, { components }] of pages.entries()) {
      const found: [string, string][] = [];
      this.#components(components, `/pages/${at}/components`, 1, found);
      this.#once(found.filter(([id]) => id !== ""));
      if (found.length > COMPONENTS_MAX) {
        this.#fault(`/pages/${at}/components`, `must not be more than ${COMPONENTS_MAX} in all`);
      }
    }
  }

  #components(
    components: readonly unknown[],
    place: string,
    depth: number,
    found: [string, string][],
  ): void {
    if (depth > DEPTH_MAX) return this.#fault(place, `must not nest deeper than ${DEPTH_MAX}`);
    for (const [index, component] of components.entries()) {
      const at = `${place}/${index}`;
      // Beyond that, nobody reads what else is wrong.
      if (found.length > COMPONENTS_MAX) return;
      if (!this.#typed(component, COMPONENTS, COMPONENT_COMMON, at)) continue;
      const { id, dataSource } = component;
      found.push([typeof id === "string" ? id : "", `${at}/id`]);
      if (typeof dataSource === "string" && !this.#sources.has(dataSource)) {
        this.#fault(`${at}/dataSource`, `names ${dataSource}, which is no data source of this app`);
      }
      this.#bindings(ownPropsOf(component), at);
      for (const { pointer, action } of actionsOf(component)) this.#action(action, at + pointer, 1);
      for (const inner of childrenOf(component)) {
        this.#components(inner.components, at + inner.pointer, depth + 1, found);
      }
      if (component["type"] === "form") this.#fields(component["fields"], at);
    }
  }

  #fields(fields: unknown, at: string): void {
    if (!Array.isArray(fields)) return;
    this.#once(
      fields.map((field: unknown, index) => [nameOf(field), `${at}/fields/${index}/name`]),
    );
    for (const [index, field] of (fields as Readonly<Record<string, unknown>>[]).entries()) {
      if (field?.["input"] === "select" && field["options"] === undefined) {
        this.#fault(`${at}/fields/${index}/options`, "is required of a select");
      }
    }
  }

  #action(action: unknown, at: string, depth: number): void {
    if (depth > ACTION_DEPTH_MAX) {
      return this.#fault(at, `must not nest deeper than ${ACTION_DEPTH_MAX}`);
    }
    if (!this.#typed(action, ACTIONS, ACTION_COMMON, at)) return;
    const { then, type: _, ...own } = action;
    this.#bindings(own, at);
    if (action["type"] === "navigate") this.#navigation(action, at);
    if (Array.isArray(action["sources"])) {
      for (const [index, name] of (action["sources"] as unknown[]).entries()) {
        if (this.#sources.has(String(name))) continue;
        this.#fault(
          `${at}/sources/${index}`,
          `names ${String(name)}, which is no data source of this app`,
        );
      }
    }
    if (!Array.isArray(then)) return;
    for (const [index, next] of then.entries())
      this.#action(next, `${at}/then/${index}`, depth + 1);
  }

  #navigation({ page, path }: Readonly<Record<string, unknown>>, at: string): void {
    if ((page === undefined) === (path === undefined)) {
      this.#fault(at, "must have either a `page` or a `path`");
    } else if (
      typeof page === "string" &&
      !page.includes("{{") &&
      !this.#paths.has(normalPath(page))
    ) {
      this.#fault(`${at}/page`, `names ${page}, which is no page of this app`);
    } else if (typeof path === "string" && !/^(\/(?![/\\])|\{\{)/.test(path)) {
      this.#fault(`${at}/path`, "must be a path of this installation: it begins with one slash");
    }
  }

  /** Whether it is something of a known type; whatever is wrong with its fields is noted. */
  #typed(
    value: unknown,
    types: Readonly<Record<string, TProperties>>,
    common: TProperties,
    at: string,
  ): value is Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#fault(at, "must be an object");
      return false;
    }
    const { type } = value as { readonly type?: unknown };
    const own = typeof type === "string" && Object.hasOwn(types, type) ? types[type] : undefined;
    if (!own) {
      this.#fault(`${at}/type`, `must be one of ${Object.keys(types).join(", ")}`);
      return false;
    }
    this.#shape(value, Type.Object({ type: Type.String(), ...common, ...own }, CLOSED), at);
    return true;
  }

  #bindings(own: Readonly<Record<string, unknown>>, at: string): void {
    const { roots, sources } = { roots: PAGE_ROOTS, sources: this.#sources };
    this.faults.push(...faultsOfBindings(own, at, { roots, sources }));
  }

  #shape(value: unknown, schema: TSchema, at: string): void {
    const shape = compiled(schema);
    if (shape.Check(value)) return;
    for (const fault of fieldErrors(shape.Errors(value))) {
      this.#fault(at + fault.path, fault.message);
    }
  }

  /** Each name stands once. */
  #once(named: readonly (readonly [string, string])[]): void {
    const seen = new Set<string>();
    for (const [name, at] of named) {
      if (seen.has(name)) this.#fault(at, "comes more than once");
      seen.add(name);
    }
  }

  #fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }
}

const CLOSED = { additionalProperties: false };
const NONE: ReadonlySet<string> = new Set();

/** There are as many schemas as types of components, actions and sources. */
const shapes = new Map<string, ReturnType<typeof Compile>>();

function compiled(schema: TSchema): ReturnType<typeof Compile> {
  const key = JSON.stringify(schema);
  let shape = shapes.get(key);
  if (!shape) shapes.set(key, (shape = Compile(schema)));
  return shape;
}

function nameOf(field: unknown): string {
  return String((Object(field) as { readonly name?: unknown }).name);
}
