/**
 * Service nodes as data: which preset action is equivalent, and how node parameters map to its input. A test checks
 * every row against the presets.
 */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, toObject, toText } from "../n8n-workflow.ts";

/**
 * An input field of an action: a parameter path with optional conversions, such as `options.limit|number`, with
 * alternative paths after ` or `; code after `=`; or a function for everything else.
 */
export type FieldSource = string | ((read: ParameterReader) => string | undefined);

export interface ServiceAction {
  /** The resource and operation of the node, such as `message.send`. Several are separated by spaces. */
  readonly on: string;
  readonly action: string;
  /** The service of the action, if it differs from the node's service. */
  readonly service?: Pick<Service, "preset" | "title" | "base">;
  readonly input?: Readonly<Record<string, FieldSource>>;
  /** An earlier call. `inputs` converts its response to the input of the action. */
  readonly via?: ViaCall;
  /** Code of the list of items from `one`, the response, and `asked`, the input. */
  readonly items?: FieldSource;
  /** True for a list with a limit parameter, or all items. */
  readonly isList?: boolean;
  /** Parameters without effect here. */
  readonly takes?: string;
  readonly notes?: readonly string[];
  /** Node parameters for the test, if the generated ones are not suitable. */
  readonly sample?: JsonObject;
}

/** A call whose response is needed first. */
export interface ViaCall {
  readonly action: string;
  readonly input: Readonly<Record<string, FieldSource>>;
  /** Code of the list of action inputs. `one` is the response, and `asked` the action `input`. */
  readonly inputs: string;
}

export interface Service {
  /** A preset of the catalogue. With `base` it is the generic HTTP connector for any API. */
  readonly preset: string;
  readonly title: string;
  /** The base URL of an API outside of the catalogue. */
  readonly base?: string;
  /**
   * The default operation of each resource, such as `message.send draft.create`. The first is the default resource.
   */
  readonly usual: string;
  readonly actions: readonly ServiceAction[];
  /** The operation name used by rows, if parameters change it. */
  readonly rename?: (parameters: JsonObject) => string | undefined;
  /** Parameters without effect here, for all operations. */
  readonly takes?: string;
}

/** An action call for an item, as code. */
export interface ServiceCall {
  readonly preset: string;
  readonly title: string;
  readonly action: string;
  readonly args: string;
  /** The field of the `args` result that is sent. Default: the complete result. */
  readonly sent?: string;
  readonly items: string;
  /** Code of the maximum number of items, if it is an expression. */
  readonly limit?: string;
  readonly via?: { readonly action: string; readonly args: string; readonly inputs: string };
  readonly approximations: readonly string[];
}

export type ServiceTable = Readonly<Record<string, Service>>;

const ALWAYS_TAKEN =
  "resource operation authentication requestOptions oauthApiVersion options.appendAttribution additionalFields.appendAttribution otherOptions.includeLinkToWorkflow options.attemptToConvertTypes";

/** The call of a node. Throws if its service or operation is not described. */
export function toServiceCall(service: Service, type: string, parameters: JsonObject): ServiceCall {
  const { resource, operation } = findOperation(service, parameters);
  const named = service.rename?.(parameters) ?? operation;
  const names = [`${resource}.${named}`, named];
  const found = service.actions.find(({ on }) => on.split(" ").some((one) => names.includes(one)));
  if (!found) throw new NotConvertible(`needs ${type} ${resource}.${operation}`);
  return describeCall(service, found, parameters);
}

/** The resource and operation of a node, or the n8n defaults. */
export function findOperation(
  { usual }: Service,
  parameters: JsonObject,
): { readonly resource: string; readonly operation: string } {
  const pairs = usual.split(" ").map((one) => one.split("."));
  // A Discord webhook has a single operation.
  const isHook =
    (parameters["authentication"] === "webhook" || parameters["webhookUri"] !== undefined) &&
    usual.includes("message.send");
  const resource = isHook ? "message" : toText(parameters["resource"], pairs[0]?.[0] ?? "");
  const known = pairs.find(([name]) => name === resource)?.[1];
  // Some operation names consist of several words.
  const operation = toText(
    parameters["operation"],
    isHook ? "sendLegacy" : (known ?? ""),
  ).replaceAll(" ", "_");
  return { resource, operation };
}

function describeCall(
  service: Service,
  { action, input = {}, items, isList, via, takes = "", notes = [], ...rest }: ServiceAction,
  parameters: JsonObject,
): ServiceCall {
  const { preset, title, base } = rest.service ?? service;
  const read = new ParameterReader(parameters, `${ALWAYS_TAKEN} ${service.takes ?? ""} ${takes}`);
  const all = isList === true ? read.raw("returnAll") : undefined;
  const limit = isList === true ? (read.raw("limit") ?? 50) : undefined;
  const isCut = isList === true && all !== true;
  const more = all === true ? ["pagesMax: 50"] : [];
  const listed = read.source(items ?? "=n8n.answer(one.items ?? one.body)") ?? "[]";
  return {
    preset,
    title: `${title} (${base === undefined ? "a service of the catalogue" : `type HTTP, base URL ${base}`})`,
    action,
    args: objectCode(read, input, via ? [] : more),
    items: isCut && typeof limit === "number" ? `${listed}.slice(0, ${limit})` : listed,
    ...(isCut && typeof limit !== "number" && { limit: `Number(${toCode(limit)})` }),
    ...(via && {
      via: { action: via.action, args: objectCode(read, via.input, more), inputs: via.inputs },
    }),
    approximations: [...read.leftOver(), ...notes],
  };
}

/** Fields as code of an object. */
export function objectCode(
  read: ParameterReader,
  fields: Readonly<Record<string, FieldSource>>,
  more: readonly string[] = [],
): string {
  const members = Object.entries(fields).flatMap(([name, source]) => {
    const code = read.source(source);
    return code === undefined ? [] : [`${JSON.stringify(name)}: ${code}`];
  });
  return `{ ${[...members, ...more].join(", ")} }`;
}

type Fields = Readonly<Record<string, FieldSource>>;

/** Builds the `request` input for a path with parameters, such as `/files/{fileId|id}`. */
export function request(
  line: string,
  parts: {
    readonly query?: Fields;
    readonly body?: Fields | FieldSource;
    readonly headers?: Fields;
    readonly response?: "file";
  } = {},
): Fields {
  const [method = "GET", path = "/"] = line.split(" ");
  const part = (fields: Fields | FieldSource): FieldSource =>
    typeof fields === "object" ? (read) => objectCode(read, fields) : fields;
  return {
    method: `=${JSON.stringify(method)}`,
    path: (read) => pathCode(read, path),
    ...(parts.query && { query: part(parts.query) }),
    ...(parts.headers && { headers: part(parts.headers) }),
    ...(parts.body !== undefined && { body: part(parts.body) }),
    ...(parts.response && { response: `=${JSON.stringify(parts.response)}` }),
  };
}

/** Code of a path with parameters. */
export function pathCode(read: ParameterReader, path: string): string {
  return path
    .split(/(\{[^}]+\})/)
    .filter((part) => part !== "")
    .map((part) =>
      part.startsWith("{")
        ? `encodeURIComponent(${read.source(part.slice(1, -1)) ?? '""'})`
        : JSON.stringify(part),
    )
    .join(" + ");
}

/** The fields of parameter groups such as `additionalFields`, under the same names except for `renamed`. */
export function members(
  groups: string,
  renamed: Readonly<Record<string, string>> = {},
): (read: ParameterReader) => string {
  return (read) => {
    const found = groups.split(" ").flatMap((group) =>
      Object.keys(toObject(read.raw(group))).flatMap((name) => {
        const code = read.code(`${group}.${name}`);
        // An object option is reported as omitted.
        const isPlain = typeof read.raw(`${group}.${name}`) !== "object";
        if (code === undefined || !isPlain) return [];
        return [`${JSON.stringify(renamed[name] ?? name)}: ${code}`];
      }),
    );
    return `{ ${found.join(", ")} }`;
  };
}

/** Name-value pairs below a path, as an object. */
export function pairs(path: string, name: string, value: string) {
  return (read: ParameterReader): string => {
    const [group = "", ...rest] = path.split("/");
    const list = rest.reduce<Json>((inner, one) => toObject(inner)[one], read.raw(group));
    return pairsCode(list, name, value);
  };
}

/** A list of pairs as code of an object. */
export function pairsCode(list: Json, name: string, value: string): string {
  const all = (Array.isArray(list) ? list : []).map(toObject);
  return `{ ${all.map((one) => `[${toCode(one[name] ?? "")}]: ${toCode(one[value] ?? "")}`).join(", ")} }`;
}

/** Merges several objects. */
export function together(...sources: readonly FieldSource[]): (read: ParameterReader) => string {
  return (read) => `{ ${sources.map((source) => `...${read.source(source) ?? "{}"}`).join(", ")} }`;
}

/** Some fields as an object. */
export function fields(named: Readonly<Record<string, FieldSource>>) {
  return (read: ParameterReader): string => objectCode(read, named);
}

const KINDS: Readonly<Record<string, (code: string) => string>> = {
  text: (code) => `n8n.text(${code})`,
  number: (code) => `n8n.number(${code})`,
  list: (code) => `n8n.list(${code})`,
  json: (code) => `n8n.json(${code})`,
  bool: (code) => `String(${code}) === "true"`,
  id: (code) => `n8n.idOf(${code})`,
  any: (code) => code,
};

/** Reads parameters of a node as code, and records which ones were read. */
export class ParameterReader {
  readonly #parameters: JsonObject;
  readonly #taken: Set<string>;

  constructor(parameters: JsonObject, takes = "") {
    this.#parameters = parameters;
    this.#taken = new Set(takes.split(" "));
  }

  /** A field of a table as code. Undefined if the node does not have it. */
  source(source: FieldSource): string | undefined {
    if (typeof source === "function") return source(this);
    if (source.startsWith("=")) return source.slice(1);
    const [paths = "", kind = "text"] = source.split("|");
    const make = KINDS[kind];
    if (!make) throw new Error(`There is no kind of a field called ${kind}.`);
    for (const path of paths.split(" or ")) {
      const code = this.code(path);
      if (code !== undefined) return make(code);
    }
    return undefined;
  }

  /** The value of a parameter. Undefined if the node does not have it. */
  raw(path: string): Json {
    this.#taken.add(path);
    const value = path
      .split(".")
      .reduce<Json>((inner, name) => toObject(inner)[name], this.#parameters);
    return value === "" || value === null ? undefined : value;
  }

  /** A parameter as code. For a list selection, its value. */
  code(path: string): string | undefined {
    const value = this.raw(path);
    if (value === undefined) return undefined;
    const { value: chosen, __rl } = toObject(value);
    if (__rl !== true) return toCode(value);
    return chosen === undefined || chosen === "" ? undefined : toCode(chosen);
  }

  text(path: string): string {
    return `n8n.text(${this.code(path) ?? '""'})`;
  }

  /**
   * Lists the unread options for the report. Throws for other unread parameters, because they can change the meaning
   * of the node.
   */
  leftOver(): string[] {
    const unread = (name: string): boolean =>
      ![...this.#taken].some((path) => path === name || path.startsWith(`${name}.`));
    const plain = Object.keys(this.#parameters).filter((name) => unread(name) && !GROUPS.has(name));
    const strange = plain.filter((name) => !isTrivial(this.#parameters[name]));
    if (strange.length > 0)
      throw new NotConvertible(`has the parameter ${strange[0]}, which is not supported`);
    return [...GROUPS].flatMap((group) =>
      Object.entries(toObject(this.#parameters[group]))
        .filter(([name, value]) => unread(`${group}.${name}`) && !isTrivial(value))
        .filter(() => !this.#taken.has(group))
        .map(([name]) => `the option ${name} is ignored`),
    );
  }
}

/** Parameter groups that contain options. */
const GROUPS = new Set(["options", "additionalFields", "otherOptions", "updateFields", "filters"]);

function isTrivial(value: Json): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.values(value).every(isTrivial);
}
