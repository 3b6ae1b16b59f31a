/**
 * Validates a definition when it is saved: references within the app, the schema of each part, and the syntax of
 * each expression. References to tables, workflows and other objects differ by environment, so they are checked at
 * deployment.
 */
import Type, { type TProperties, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { ACTION_COMMON, ACTIONS } from "./action.ts";
import { type AppData, normalizePath, PAGES_MAX, SOURCES_MAX } from "./app.ts";
import { checkBindings, PAGE_ROOTS, SOURCE_ROOTS } from "./bindings.ts";
import { actionsOf, COMPONENT_COMMON, COMPONENTS, childrenOf, ownPropsOf } from "./component.ts";
import { SOURCES } from "./data-source.ts";

const DEPTH_MAX = 8;
const COMPONENTS_MAX = 300;
const ACTION_DEPTH_MAX = 5;
const CHARACTERS_MAX = 256 * 1024;
export const ERRORS_MAX = 100;

/** The parts of an app that refer to each other. */
export type Definition = Pick<AppData, "pages" | "dataSources">;

/** Throws a failure with all field errors; `rename` maps their paths to those of the request. */
export function assertValidDefinition(
  definition: Definition,
  rename: (path: string) => string,
): void {
  const errors = definitionErrors(definition).map((error) => ({
    ...error,
    path: rename(error.path),
  }));
  assertNoErrors(errors);
}

/** All field errors, up to a maximum. */
export function definitionErrors(definition: Definition): readonly FieldError[] {
  if (JSON.stringify(definition).length > CHARACTERS_MAX) {
    return [{ path: "", message: `must not have more than ${CHARACTERS_MAX} characters as JSON` }];
  }
  const checker = new DefinitionChecker(definition);
  checker.check();
  return checker.errors.slice(0, ERRORS_MAX);
}

class DefinitionChecker {
  readonly errors: FieldError[] = [];
  readonly #definition: Definition;
  readonly #sources: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;

  constructor(definition: Definition) {
    this.#definition = definition;
    this.#sources = new Set(definition.dataSources.map(({ name }) => name));
    this.#paths = new Set(definition.pages.map(({ path }) => normalizePath(path)));
  }

  check(): void {
    const { pages, dataSources } = this.#definition;
    if (pages.length > PAGES_MAX) this.#addError("/pages", `must have at most ${PAGES_MAX} pages`);
    if (dataSources.length > SOURCES_MAX) {
      this.#addError("/dataSources", `must have at most ${SOURCES_MAX} data sources`);
    }
    this.#checkUnique(dataSources.map(({ name }, at) => [name, `/dataSources/${at}/name`]));
    this.#checkUnique(pages.map(({ path }, at) => [normalizePath(path), `/pages/${at}/path`]));
    for (const [at, { kind, config }] of dataSources.entries()) {
      const basePath = `/dataSources/${at}/config`;
      this.#checkSchema(config, Type.Object(SOURCES[kind], CLOSED), basePath);
      this.errors.push(
        ...checkBindings(config, basePath, { roots: SOURCE_ROOTS, sources: NO_SOURCES }),
      );
    }
    for (const [at, { components }] of pages.entries()) {
      const found: [string, string][] = [];
      this.#checkComponents(components, `/pages/${at}/components`, 1, found);
      this.#checkUnique(found.filter(([id]) => id !== ""));
      if (found.length > COMPONENTS_MAX) {
        this.#addError(
          `/pages/${at}/components`,
          `must have at most ${COMPONENTS_MAX} components in total`,
        );
      }
    }
  }

  #checkComponents(
    components: readonly unknown[],
    basePath: string,
    depth: number,
    found: [string, string][],
  ): void {
    if (depth > DEPTH_MAX)
      return this.#addError(basePath, `must have at most ${DEPTH_MAX} levels of nesting`);
    for (const [index, component] of components.entries()) {
      const at = `${basePath}/${index}`;
      // Further errors would not be read.
      if (found.length > COMPONENTS_MAX) return;
      if (!this.#checkType(component, COMPONENTS, COMPONENT_COMMON, at)) continue;
      const { id, dataSource } = component;
      found.push([typeof id === "string" ? id : "", `${at}/id`]);
      if (typeof dataSource === "string" && !this.#sources.has(dataSource)) {
        this.#addError(
          `${at}/dataSource`,
          `uses ${dataSource}, which is not a data source of this app`,
        );
      }
      this.#checkBindings(ownPropsOf(component), at);
      for (const { pointer, action } of actionsOf(component))
        this.#checkAction(action, at + pointer, 1);
      for (const children of childrenOf(component)) {
        this.#checkComponents(children.components, at + children.pointer, depth + 1, found);
      }
      if (component["type"] === "form") this.#checkFormFields(component["fields"], at);
    }
  }

  #checkFormFields(fields: unknown, at: string): void {
    if (!Array.isArray(fields)) return;
    this.#checkUnique(
      fields.map((field: unknown, index) => [nameOf(field), `${at}/fields/${index}/name`]),
    );
    for (const [index, field] of (fields as Readonly<Record<string, unknown>>[]).entries()) {
      if (field?.["input"] === "select" && field["options"] === undefined) {
        this.#addError(`${at}/fields/${index}/options`, "is required for a select");
      }
    }
  }

  #checkAction(action: unknown, at: string, depth: number): void {
    if (depth > ACTION_DEPTH_MAX) {
      return this.#addError(at, `must have at most ${ACTION_DEPTH_MAX} levels of nesting`);
    }
    if (!this.#checkType(action, ACTIONS, ACTION_COMMON, at)) return;
    const { then, type: _, ...own } = action;
    this.#checkBindings(own, at);
    if (action["type"] === "navigate") this.#checkNavigation(action, at);
    if (Array.isArray(action["sources"])) {
      for (const [index, name] of (action["sources"] as unknown[]).entries()) {
        if (this.#sources.has(String(name))) continue;
        this.#addError(
          `${at}/sources/${index}`,
          `uses ${String(name)}, which is not a data source of this app`,
        );
      }
    }
    if (!Array.isArray(then)) return;
    for (const [index, next] of then.entries())
      this.#checkAction(next, `${at}/then/${index}`, depth + 1);
  }

  #checkNavigation({ page, path }: Readonly<Record<string, unknown>>, at: string): void {
    if ((page === undefined) === (path === undefined)) {
      this.#addError(at, "must have either a `page` or a `path`");
    } else if (
      typeof page === "string" &&
      !page.includes("{{") &&
      !this.#paths.has(normalizePath(page))
    ) {
      this.#addError(`${at}/page`, `refers to ${page}, which is not a page of this app`);
    } else if (typeof path === "string" && !/^(\/(?![/\\])|\{\{)/.test(path)) {
      this.#addError(`${at}/path`, "must be a path on this server, beginning with a single slash");
    }
  }

  /** Returns whether a value is an object of a known type; adds the errors of its fields. */
  #checkType(
    value: unknown,
    types: Readonly<Record<string, TProperties>>,
    common: TProperties,
    at: string,
  ): value is Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#addError(at, "must be an object");
      return false;
    }
    const { type } = value as { readonly type?: unknown };
    const own = typeof type === "string" && Object.hasOwn(types, type) ? types[type] : undefined;
    if (!own) {
      this.#addError(`${at}/type`, `must be one of ${Object.keys(types).join(", ")}`);
      return false;
    }
    this.#checkSchema(value, Type.Object({ type: Type.String(), ...common, ...own }, CLOSED), at);
    return true;
  }

  #checkBindings(own: Readonly<Record<string, unknown>>, at: string): void {
    const { roots, sources } = { roots: PAGE_ROOTS, sources: this.#sources };
    this.errors.push(...checkBindings(own, at, { roots, sources }));
  }

  #checkSchema(value: unknown, schema: TSchema, at: string): void {
    const compiled = compileSchema(schema);
    if (compiled.Check(value)) return;
    for (const error of fieldErrors(compiled.Errors(value))) {
      this.#addError(at + error.path, error.message);
    }
  }

  /** Adds an error for each name that is not unique. */
  #checkUnique(entries: readonly (readonly [string, string])[]): void {
    const seen = new Set<string>();
    for (const [name, at] of entries) {
      if (seen.has(name)) this.#addError(at, "appears more than once");
      seen.add(name);
    }
  }

  #addError(path: string, message: string): void {
    this.errors.push({ path, message });
  }
}

const CLOSED = { additionalProperties: false };
const NO_SOURCES: ReadonlySet<string> = new Set();

/** Limited by the number of component, action and source types. */
const compiledSchemas = new Map<string, ReturnType<typeof Compile>>();

function compileSchema(schema: TSchema): ReturnType<typeof Compile> {
  const key = JSON.stringify(schema);
  let compiled = compiledSchemas.get(key);
  if (!compiled) compiledSchemas.set(key, (compiled = Compile(schema)));
  return compiled;
}

function nameOf(field: unknown): string {
  return String((Object(field) as { readonly name?: unknown }).name);
}
