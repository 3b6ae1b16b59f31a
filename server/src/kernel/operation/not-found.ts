import type { Operation } from "../contract.ts";
import { Failure, NotFound } from "./failure.ts";
import type { Invocation } from "./invocation.ts";

/** Longer values are not repeated in a message. */
const VALUE_CHARACTERS_MAX = 100;
/** Parameters with secret or unreadable values. */
const UNNAMED = /^(token|nonce|key|file|rest|hash)$/i;
const REFERENCE = /Ids?$/;
const UPPER_CASE: ReadonlySet<string> = new Set(["sla", "kpi", "sso", "ci"]);

/** Adds the requested resource to a bare "Not found". Other errors stay unchanged. */
export function describeMissing(error: unknown, op: Operation, { input }: Invocation): unknown {
  if (!(error instanceof Failure) || error.type !== NotFound) return error;
  if (error.particulars.detail !== undefined) return error;
  const detail = missingDetail(op, input.params);
  return detail === undefined ? error : new Failure(NotFound, { ...error.particulars, detail });
}

/** The message for a path of one form and its parameters; undefined without a parameter that names something. */
export function missingDetail(
  { route, body }: Pick<Operation, "route" | "body">,
  params: unknown,
): string | undefined {
  const [, path = ""] = route.split(" ");
  const parts = path.split("/");
  const at = parts.findLastIndex((part) => /^\{\w+\}$/.test(part));
  const name = parts[at]?.slice(1, -1) ?? "";
  const value = (params as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (UNNAMED.test(name) || (typeof value !== "string" && typeof value !== "number")) {
    return undefined;
  }
  const thing = `${toNoun(parts[at - 1] ?? "", name)} ${String(value).slice(0, VALUE_CHARACTERS_MAX)}`;
  const others = Object.keys((body as { properties?: object } | undefined)?.properties ?? {});
  const subject = others.some((field) => REFERENCE.test(field))
    ? `${thing}, or a resource in the request body,`
    : thing;
  return `${subject} does not exist, or you can't see it.`;
}

/** `sla-policies` as "SLA policy". If the part is not a plural, the parameter names the resource. */
function toNoun(part: string, param: string): string {
  const plural = /^[a-z-]+(?<!u)s$/.test(part)
    ? part
    : `${splitCamelCase(param.replace(/Id$/, ""))}s`;
  const singular = plural
    .replace(/ies$/, "y")
    .replace(/(ch|sh|ss|x)es$/, "$1")
    .replace(/(?<!s)s$/, "");
  const [first = "", ...rest] = singular
    .split("-")
    .map((word) => (UPPER_CASE.has(word) ? word.toUpperCase() : word));
  return [first.slice(0, 1).toUpperCase() + first.slice(1), ...rest].join(" ");
}

function splitCamelCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
