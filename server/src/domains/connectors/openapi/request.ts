import { assertNoErrors, invalidField } from "#kernel/operation/failure.ts";
import type { Headers, HttpRequest } from "../upstream/http.ts";
import { encodeBody, headerErrors, mergeHeaders, joinUrl, textOf } from "../upstream/target.ts";
import type { DiscoveredAction, Parameter } from "./discovered-action.ts";

type Input = Readonly<Record<string, unknown>>;

/** The HTTP request of an action; the input was checked against the action's schema. */
export function buildRequest(
  action: DiscoveredAction,
  config: { readonly baseUrl: string; readonly headers?: Headers },
  input: Input,
): HttpRequest {
  const present = action.parameters.filter(({ field }) => isPresent(input, field));
  const path = fillPath(action.path, present, input);
  const url = joinUrl(config.baseUrl, { path }, "/input");
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
  const headers = mergeHeaders(config.headers, type, headersOfInput);
  if (action.bodyType === null || !isPresent(input, "body")) {
    const { "content-type": _, ...rest } = headers;
    return { method: action.method, url, headers: rest };
  }
  return { method: action.method, url, ...encodeBody(input["body"], headers) };
}

function isPresent(input: Input, field: string): boolean {
  return Object.hasOwn(input, field) && input[field] !== undefined && input[field] !== null;
}

/** A value stays within its part of the path: dots would lead elsewhere, and nothing to the parent. */
function fillPath(template: string, parameters: readonly Parameter[], input: Input): string {
  const byName = new Map(
    parameters.filter((one) => one.in === "path").map((one) => [one.name, one.field]),
  );
  return template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const field = byName.get(name);
    if (field === undefined) return whole;
    const value = formatValue(input[field]);
    if (/^\.{0,2}$/.test(value)) throw invalidField(`/input/${field}`, "must be a part of a path");
    return encodeURIComponent(value);
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

/** Lists and objects in one text, as the styles `simple` and unexploded `form` have it. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (typeof value !== "object" || value === null) return textOf(value);
  return Object.entries(value)
    .map(([name, part]) => `${name},${textOf(part)}`)
    .join(",");
}
