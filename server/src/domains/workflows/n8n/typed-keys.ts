/**
 * Keys typed into n8n requests. A definition has many readers, so it must not contain keys: each becomes a secret
 * that the user selects. Placeholders such as `YOUR_API_KEY` need a replacement anyway.
 */
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { type NodeContext, NotConvertible } from "./conversion.ts";
import { type Json, toObject, toText } from "./n8n-workflow.ts";

/** A request field for a secret, with a prefix such as `Bearer `. */
export interface TypedKey {
  readonly name: string;
  readonly before: string;
  readonly secret: string;
}

/** A name-value pair of a node. */
interface Pair {
  readonly name: Json;
  readonly value: Json;
}

const KEY_NAME =
  /^(?:authorization|proxy-authorization|cookie|key|appid|auth|x-[\w-]*(?:key|token|secret|auth)[\w-]*|[\w-]*api[-_]?key|[\w-]*apikey|[\w-]*(?:subscription|access|client|app|auth|private|secret)[-_]?key|[\w-]*(?:token|secret|password|passwd))$/i;
const NO_KEY = /page|next|cursor|sync|type|max|continu/i;

/** True for a field name that indicates a key. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name) && !NO_KEY.test(name);
}

type Bind = Pick<NodeContext, "bind" | "node">;

/** Separates fields with typed keys from other fields. */
export function takeKeys<One extends Pair>(
  ctx: Bind,
  pairs: readonly One[],
): { readonly rest: readonly One[]; readonly keys: readonly TypedKey[] } {
  const found = pairs.map((pair) => ({ pair, key: toKey(ctx, pair) }));
  return {
    rest: found.flatMap(({ pair, key }) => (key ? [] : [pair])),
    keys: found.flatMap(({ key }) => key ?? []),
  };
}

function toKey(ctx: Bind, { name, value }: Pair): TypedKey | undefined {
  const field = toText(name);
  const text = toText(value).replace(/^=/, "");
  if (field === "" || text.trim() === "" || text.includes("{{") || !isKeyName(field)) return;
  const before = /^(?:Bearer|Basic|Token|Bot|Key|ApiKey)\s+/i.exec(text)?.[0] ?? "";
  return { name: field, before, secret: bindSecret(ctx, field) };
}

/** The selected secret for a field of requests to a host. */
export function bindSecret({ bind, node }: Bind, field: string): string {
  const place = hostOf(node.parameters["url"]) ?? node.name;
  const secret = bind("secret", `${place} ${field.toLowerCase()}`, `${place}: ${field}`);
  if (!new RegExp(`^${SECRET_NAME}$`).test(secret))
    throw new NotConvertible("needs the name of a secret for a key that it contains");
  return secret;
}

function hostOf(url: Json): string | undefined {
  return /^=?https?:\/\/([\w.-]+)/.exec(toText(url))?.[1];
}

/** A template of a request field: its computed part with the secrets. */
export function withKeys(member: string, keys: readonly TypedKey[]): string {
  if (keys.length === 0) return `{{ item.${member} }}`;
  return `{{ $merge([item.${member}, {${keys.map(memberOf).join(", ")}}]) }}`;
}

function memberOf({ name, before, secret }: TypedKey): string {
  const words = before === "" ? "" : `${JSON.stringify(before)} & `;
  return `${JSON.stringify(name)}: ${words}secrets.${secret}`;
}

/** Code of the fields with secrets, for scripts. */
export function keysCode(keys: readonly TypedKey[]): string {
  return keys
    .map(
      ({ name, before, secret }) =>
        `, ${JSON.stringify(name)}: ${JSON.stringify(before)} + (await context.secrets.get(${JSON.stringify(secret)}))`,
    )
    .join("");
}

/** The URL without keys in its query. They become query fields. */
export function takeUrlKeys(
  ctx: Bind,
  url: Json,
): { readonly url: Json; readonly keys: readonly TypedKey[] } {
  const text = toText(url);
  const keys: TypedKey[] = [];
  const rest = text.replaceAll(
    /([?&])([\w.-]+)=([^&{}\s#]+)(?=&|#|$)/g,
    (all, mark: string, name: string, value: string) => {
      if (!isKeyName(name) || value === "") return all;
      keys.push({ name, before: "", secret: bindSecret(ctx, name) });
      return mark === "?" ? "?" : "";
    },
  );
  return { url: keys.length === 0 ? url : rest.replace("?&", "?").replace(/\?$/, ""), keys };
}

/** The fields of JSON text. Undefined if expressions are more than values. */
export function readPairs(text: Json): Pair[] | undefined {
  if (typeof text !== "string") {
    return Object.entries(toObject(text)).map(([name, value]) => ({ name, value }));
  }
  const isCode = text.startsWith("=") && text.includes("{{");
  try {
    // An expression within JSON text belongs to that field.
    const value = JSON.parse(text.replace(/^=/, "")) as Json;
    const members = Object.entries(toObject(value));
    const isNested = (one: Json): boolean =>
      typeof one === "object" && isCode && JSON.stringify(one).includes("{{");
    if (members.some(([, one]) => isNested(one))) return undefined;
    return members.map(([name, one]) => ({
      name,
      value: isCode && typeof one === "string" && one.includes("{{") ? `=${one}` : one,
    }));
  } catch {
    return undefined;
  }
}

/** JSON text with keys removed, if it cannot be parsed as JSON. */
export function blankKeys(
  ctx: Bind,
  text: Json,
): { readonly text: Json; readonly keys: readonly TypedKey[] } {
  if (typeof text !== "string") return { text, keys: [] };
  const keys: TypedKey[] = [];
  const blank = text.replaceAll(
    /"([\w-]+)"(\s*:\s*)"([^"{}\\]+)"/g,
    (all, name: string, colon: string, value: string) => {
      const key = toKey(ctx, { name, value });
      if (key) keys.push(key);
      return key ? `"${name}"${colon}""` : all;
    },
  );
  return { text: blank, keys };
}

const KEYS: readonly RegExp[] = [
  /\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bBearer\s+[A-Za-z0-9._~+/-]{20,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

/** True for steps with text that looks like a key, for example in code. */
export function hasTypedKey(steps: Json): boolean {
  const text = JSON.stringify(steps);
  return KEYS.some((one) => one.test(text));
}

const SCRUBBED = "***";

/** Parameters as text without keys, for the note of a placeholder step. */
export function scrubKeys(parameters: Json): string {
  const text = JSON.stringify(parameters, (name, value: unknown) => {
    if (typeof value === "string" && !value.includes("{{") && isKeyName(name)) return SCRUBBED;
    const { name: field, value: typed } = toObject(value);
    const isTyped = typeof typed === "string" && !typed.includes("{{");
    return isTyped && isKeyName(toText(field)) ? { ...toObject(value), value: SCRUBBED } : value;
  });
  return KEYS.reduce((rest, one) => rest.replaceAll(new RegExp(one, "g"), SCRUBBED), text);
}
