import type { Operation } from "./contract.ts";
import type { Input } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import { invent, type Source } from "./invent.ts";
import { BROKEN_TEXTS, NASTY_TEXTS } from "./nasty.ts";
import { inventParameters, spoilHeaders, spoilText, spoilValue } from "./spoil.ts";

/** A request without a chosen sender. */
export interface Call {
  readonly route: string;
  readonly body: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The quality of a request: from exact to invalid. */
export type Intent = "exactly" | "well" | "carelessly" | "badly";

const FORM = "application/x-www-form-urlencoded";
/** Fields that must be unique in many places. A number is appended. */
const UNIQUE = new Set(["name", "slug", "title", "key", "email", "id", "number", "moduleKey"]);
/** Parameters that make the server wait are not used. */
const WAITING = new Set(["timeout", "wait"]);
let serial = 0;

/** A request to an operation, based on a valid one or only on the description. */
export function callOf(
  op: Operation,
  base: Input | undefined,
  intent: Intent,
  source: Source,
): Call {
  const { dice } = source;
  const isSpoilt = intent === "carelessly" || intent === "badly";
  const isInvented = base === undefined || (isSpoilt && dice.chance(0.3));
  const parameters =
    !isSpoilt && base ? base : inventParameters(op, isInvented ? undefined : base, source);
  let body: unknown = isInvented
    ? op.body && invent(op.body, source)
    : intent === "exactly"
      ? base.body
      : fresh(base.body);
  let { params, query } = parameters;
  const headers: Record<string, string> = {};
  let bytes: string | Buffer | undefined;
  if (isSpoilt) {
    if (dice.chance(0.1)) params = spoilTexts(params, dice);
    if (dice.chance(0.15)) query = spoilTexts(query, dice);
    if (dice.chance(intent === "badly" ? 0.3 : 0.1))
      Object.assign(headers, spoilHeaders(op, source));
    if (body !== undefined && dice.chance(0.8)) body = spoilValue(body, source);
    if (intent === "badly" && body !== undefined && dice.chance(0.4)) {
      const spoilt = spoilText(body, dice);
      bytes = spoilt.body;
      Object.assign(headers, spoilt.headers);
    }
  }
  if (body === undefined && bytes === undefined && intent === "badly" && dice.chance(0.1)) {
    body = dice.pick<unknown>([{}, { unheard: "of" }, []]);
  }
  if (bytes === undefined && body !== undefined) {
    bytes = JSON.stringify(body);
    headers["content-type"] ??= "application/json";
    if (op.takes.includes(FORM) && intent !== "exactly" && dice.chance(0.3)) {
      bytes = formOf(body);
      headers["content-type"] = FORM;
    }
  }
  if (
    intent !== "exactly" &&
    intent !== "badly" &&
    op.headers.has("idempotency-key") &&
    dice.chance(0.1)
  ) {
    headers["idempotency-key"] = `fuzz-${(serial += 1)}`;
  }
  return { route: `${op.method} ${pathOf(op, params)}${queryOf(query)}`, body: bytes, headers };
}

/** The same body with other names. */
export function fresh(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  serial += 1;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (!UNIQUE.has(key) || typeof value !== "string" || /_[0-9a-z]{20,}$/.test(value)) {
        return [key, value];
      }
      return [key, key === "email" ? `n${serial}${value}` : `${value}${serial}`];
    }),
  );
}

/** The path with its parameters, each encoded as one segment. */
export function pathOf(op: Operation, params: Readonly<Record<string, string>>): string {
  return op.path
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(params[name] ?? ""))
    .replace("*", encodeURI((params["*"] ?? "").toWellFormed()));
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => {
    const isLong = WAITING.has(name) && Number(value) > 100;
    return `${encoded(name)}=${encoded(isLong ? "60" : value)}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** An unpaired surrogate can't be encoded as UTF-8, but its bytes can be written. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80";
}

function spoilTexts(texts: Readonly<Record<string, string>>, dice: Dice): Record<string, string> {
  const name = dice.pickAny(Object.keys(texts)) ?? dice.pick(NASTY_TEXTS);
  const value = texts[name] ?? "";
  return {
    ...texts,
    [name]: dice.pick<() => string>([
      () => dice.pick(NASTY_TEXTS),
      () => dice.pick(BROKEN_TEXTS),
      () => value.toUpperCase(),
      () => value.slice(0, -1),
      () => `${value}0`,
      () => "9".repeat(dice.pick([10, 20, 400, 600])),
    ])(),
  };
}

function formOf(body: unknown): string {
  const fields = typeof body === "object" && body !== null ? body : {};
  const pairs = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? value.toWellFormed() : JSON.stringify(value),
  ]);
  return new URLSearchParams(Object.fromEntries(pairs) as Record<string, string>).toString();
}
