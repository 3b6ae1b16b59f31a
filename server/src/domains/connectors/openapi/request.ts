import { assertNoErrors, invalidField } from "#kernel/operation/failure.ts";
import type { Headers, HttpRequest } from "../upstream/http.ts";
import { bodyOf, headerErrors, mergeHeaders, joinUrl, textOf } from "../upstream/target.ts";
import type { DiscoveredAction, Parameter } from "./discovered-action.ts";

type Input = Readonly<Record<string, unknown>>;

/** The request that an operation is asked with; the input was checked against the action's schema. */
export function requestOf(
  action: DiscoveredAction,
  about: { readonly baseUrl: string; readonly headers?: Headers },
  input: Input,
): HttpRequest {
  const given = action.parameters.filter(({ field }) => isGiven(input, field));
  const path = pathOf(action.path, given, input);
  const url = joinUrl(about.baseUrl, { path }, "/input");
  for (const parameter of given.filter((one) => one.in === "query")) {
    for (const [name, value] of pairsOf(parameter, input[parameter.field])) {
      url.searchParams.append(name, value);
    }
  }
  const own = Object.fromEntries(
    given
      .filter((one) => one.in === "header")
      .map(({ name, field }) => [name, plain(input[field])] as const),
  );
  assertNoErrors(headerErrors("/input", own));
  const type = action.bodyType === null ? {} : { "content-type": action.bodyType };
  const headers = mergeHeaders(about.headers, type, own);
  if (action.bodyType === null || !isGiven(input, "body")) {
    const { "content-type": _, ...rest } = headers;
    return { method: action.method, url, headers: rest };
  }
  return { method: action.method, url, ...bodyOf(input["body"], headers) };
}

function isGiven(input: Input, field: string): boolean {
  return Object.hasOwn(input, field) && input[field] !== undefined && input[field] !== null;
}

/** A value stays within its part of the path: dots would lead elsewhere, and nothing to the parent. */
function pathOf(template: string, parameters: readonly Parameter[], input: Input): string {
  const byName = new Map(
    parameters.filter((one) => one.in === "path").map((one) => [one.name, one.field]),
  );
  return template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const field = byName.get(name);
    if (field === undefined) return whole;
    const value = plain(input[field]);
    if (/^\.{0,2}$/.test(value)) throw invalidField(`/input/${field}`, "must be a part of a path");
    return encodeURIComponent(value);
  });
}

function pairsOf({ name, style }: Parameter, value: unknown): (readonly [string, string])[] {
  if (style === "exploded" && Array.isArray(value)) return value.map((one) => [name, textOf(one)]);
  if (style === "plain" || typeof value !== "object" || value === null) {
    return [[name, plain(value)]];
  }
  const fields = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  return fields.map(([field, part]) => [
    style === "deep" ? `${name}[${field}]` : field,
    textOf(part),
  ]);
}

/** Lists and objects in one text, as the styles `simple` and unexploded `form` have it. */
function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (typeof value !== "object" || value === null) return textOf(value);
  return Object.entries(value)
    .map(([name, part]) => `${name},${textOf(part)}`)
    .join(",");
}
