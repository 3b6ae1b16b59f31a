import { assertNoErrors, invalidField } from "#kernel/operation/failure.ts";
import type { Headers, HttpRequest } from "../upstream/http.ts";
import { encodeBody, headerErrors, mergeHeaders, joinUrl, textOf } from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { composeBody } from "./compose-body.ts";
import type { DiscoveredAction, Parameter } from "./discovered-action.ts";

type Input = Readonly<Record<string, unknown>>;

/** Builds the HTTP request of an action; the input was validated against its schema. */
export async function buildRequest(
  connection: Pick<UpstreamConnection, "files">,
  action: DiscoveredAction,
  {
    config,
    input,
  }: {
    readonly config: { readonly baseUrl: string; readonly headers?: Headers };
    readonly input: Input;
  },
): Promise<HttpRequest> {
  const present = action.parameters.filter(({ field }) => isPresent(input, field));
  const { method, fixed = {}, idempotent } = action;
  const url = joinUrl(config.baseUrl, { path: fillPath(action.path, present, input) }, "/input");
  for (const [name, value] of Object.entries(fixed.query ?? {})) {
    url.searchParams.append(name, value);
  }
  for (const parameter of present.filter((one) => one.in === "query")) {
    for (const [name, value] of queryPairs(parameter, input[parameter.field])) {
      url.searchParams.append(name, value);
    }
  }
  const headersOfInput = Object.fromEntries(
    present
      .filter((one) => one.in === "header")
      .map(({ name, field }) => [name, formatValue(input[field])] as const),
  );
  assertNoErrors(headerErrors("/input", headersOfInput));
  const type = action.bodyType === null ? {} : { "content-type": action.bodyType };
  const headers = mergeHeaders(config.headers, type, fixed.headers, headersOfInput);
  const repeat = idempotent === undefined ? {} : { idempotent };
  const body = buildBody(action, present, input);
  if (action.bodyType === null || body === undefined) {
    const { "content-type": _, ...rest } = headers;
    return { method, url, headers: rest, ...repeat };
  }
  return { method, url, ...(await encodeBody(connection, body, headers)), ...repeat };
}

/** The body in the input, or a body built from input fields. */
function buildBody(action: DiscoveredAction, present: readonly Parameter[], input: Input): unknown {
  const places = present.filter((one) => one.in === "body");
  const { compose, fixed, bodyType } = action;
  if (compose !== undefined) return composeBody(compose, input);
  if (places.length === 0 && !fixed?.body)
    return isPresent(input, "body") ? input["body"] : undefined;
  const whole = places.find(({ name }) => name === "$");
  if (whole) return input[whole.field];
  const body = structuredClone(fixed?.body ?? {}) as Record<string, unknown>;
  for (const { name, field } of places) setAt(body, name.split("."), input[field]);
  const isForm = bodyType === "application/x-www-form-urlencoded";
  return isForm ? flattenForm(body) : body;
}

/**
 * Sets a value at a path; a number in the path is an index of a list. Paths come from presets, never from users.
 */
function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const isList = /^\d+$/.test(rest[0] ?? "");
  target[name] ??= isList ? [] : {};
  // Created by the line above, for another path of the same action.
  setAt(target[name] as Record<string, unknown>, rest, value);
}

/** Objects and lists in a form, as `metadata[key]` and `items[0][price]`. */
function flattenForm(value: unknown, prefix = ""): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value as object)) {
    const key = prefix === "" ? name : `${prefix}[${name}]`;
    if (part === undefined || part === null) continue;
    if (typeof part === "object") Object.assign(fields, flattenForm(part, key));
    else fields[key] = part;
  }
  return fields;
}

function isPresent(input: Input, field: string): boolean {
  return Object.hasOwn(input, field) && input[field] !== undefined && input[field] !== null;
}

/** Encodes a value within its path segment: dots could change the path, and an empty value would be the parent. */
function fillPath(template: string, parameters: readonly Parameter[], input: Input): string {
  const byName = new Map(
    parameters.filter((one) => one.in === "path").map((one) => [one.name, one.field]),
  );
  return template.replaceAll(/\{(\+?)([^{}]+)\}/g, (whole, plus: string, name: string) => {
    const field = byName.get(name);
    if (field === undefined) return whole;
    const value = formatValue(input[field]);
    const parts = plus === "" ? [value] : value.split("/").filter((part) => part !== "");
    if (parts.length === 0 || parts.some((part) => /^\.{0,2}$/.test(part)))
      throw invalidField(`/input/${field}`, "must be a path segment");
    return parts.map(encodeURIComponent).join("/");
  });
}

function queryPairs({ name, style }: Parameter, value: unknown): (readonly [string, string])[] {
  if (style === "exploded" && Array.isArray(value)) return value.map((one) => [name, textOf(one)]);
  if (style === "plain" || typeof value !== "object" || value === null) {
    return [[name, formatValue(value)]];
  }
  const fields = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  return fields.map(([field, part]) => [
    style === "deep" ? `${name}[${field}]` : field,
    textOf(part),
  ]);
}

/** Lists and objects in one text, in the styles `simple` and unexploded `form`. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (typeof value !== "object" || value === null) return textOf(value);
  return Object.entries(value)
    .map(([name, part]) => `${name},${textOf(part)}`)
    .join(",");
}
