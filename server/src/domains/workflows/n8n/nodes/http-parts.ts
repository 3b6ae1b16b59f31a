/** Parts of n8n requests as code, and the keys typed into them. */
import { toCode } from "../code-text.ts";
import { type NodeContext, NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { blankKeys, readPairs, takeKeys, type TypedKey } from "../typed-keys.ts";

/** Code of a part, without typed keys. */
interface HttpPart {
  readonly code: string;
  readonly keys: readonly TypedKey[];
}

/** The typed keys, by part of the request. */
export interface HttpKeys {
  readonly query: readonly TypedKey[];
  readonly headers: readonly TypedKey[];
  readonly body: readonly TypedKey[];
}

interface HttpParts {
  /** The body encoding, unless it is JSON or text. */
  readonly bodyType?: "form" | "multipart";
  readonly method: string;
  readonly query: string;
  readonly headers: string;
  readonly body: string;
  readonly keys: HttpKeys;
}

const NOTHING: HttpPart = { code: "{}", keys: [] };
const NO_BODY: HttpPart = { code: "undefined", keys: [] };

/** Name-value pairs as the code of an object. */
function pairsPart(ctx: NodeContext, list: Json): HttpPart {
  const pairs = toList(list).map((one) => {
    const { name = "", value = "" } = toObject(one);
    return { name, value };
  });
  const { rest, keys } = takeKeys(ctx, pairs);
  const members = rest.map(({ name, value }) => `[${toCode(name)}]: ${toCode(value)}`);
  return { code: `{ ${members.join(", ")} }`, keys };
}

/** The fields of a body. Newer nodes interpret names as paths. */
function pathsPart(ctx: NodeContext, list: Json): HttpPart {
  const part = pairsPart(ctx, list);
  const isPath = toList(list).some((one) => /[.[]/.test(String(toObject(one)["name"])));
  if (ctx.node.version < 4 || !isPath) return part;
  return {
    ...part,
    code: `Object.entries(${part.code}).reduce((made, [name, one]) => n8n.set(made, name, one), {})`,
  };
}

/** JSON as text, or from an expression. */
function jsonCode(value: Json): string {
  return `((made) => typeof made === "string" ? JSON.parse(made) : made)(${toCode(value)})`;
}

/** JSON of headers or a query. */
function jsonPart(ctx: NodeContext, value: Json): HttpPart {
  const pairs = readPairs(value);
  if (pairs) {
    const { rest, keys } = takeKeys(ctx, pairs);
    if (keys.length > 0) return { code: toCode(toMembers(rest)), keys };
    return { code: jsonCode(value), keys };
  }
  const { text, keys } = blankKeys(ctx, value);
  return { code: jsonCode(text), keys };
}

function toMembers(pairs: readonly { readonly name: Json; readonly value: Json }[]): JsonObject {
  return Object.fromEntries(pairs.map(({ name, value }) => [String(name), value]));
}

export function partsOfNew(ctx: NodeContext): HttpParts {
  const { parameters } = ctx.node;
  const { method = "GET", sendQuery, sendHeaders, specifyQuery, specifyHeaders } = parameters;
  const query =
    sendQuery !== true
      ? NOTHING
      : specifyQuery === "json"
        ? jsonPart(ctx, parameters["jsonQuery"] ?? "{}")
        : pairsPart(ctx, toObject(parameters["queryParameters"])["parameters"]);
  const headers =
    sendHeaders !== true
      ? NOTHING
      : specifyHeaders === "json"
        ? jsonPart(ctx, parameters["jsonHeaders"] ?? "{}")
        : pairsPart(ctx, toObject(parameters["headerParameters"])["parameters"]);
  const isMultipart =
    parameters["sendBody"] === true && parameters["contentType"] === "multipart-form-data";
  const body = parameters["sendBody"] === true ? bodyOfNew(ctx) : NO_BODY;
  return {
    ...(isMultipart && { bodyType: "multipart" as const }),
    method: toCode(method),
    query: query.code,
    headers: headers.code,
    body: body.code,
    keys: { query: query.keys, headers: headers.keys, body: body.keys },
  };
}

/** Converts a multipart form, including files. */
function formPart(ctx: NodeContext, list: Json): HttpPart {
  const pairs = toList(list).map((one) => {
    const { name = "", value = "", ...more } = toObject(one);
    return { name, value, more };
  });
  const { rest, keys } = takeKeys(ctx, pairs);
  const members = rest.map(({ name, value, more }) => {
    const { parameterType, inputDataFieldName = "data" } = more as JsonObject;
    return parameterType === "formBinaryData"
      ? `[${toCode(name)}]: n8n.file($item, ${toCode(inputDataFieldName)})`
      : `[${toCode(name)}]: ${toCode(value)}`;
  });
  return { code: `{ ${members.join(", ")} }`, keys };
}

function bodyOfNew(ctx: NodeContext): HttpPart {
  const { parameters } = ctx.node;
  const { specifyBody = "keypair", jsonBody = "{}", body = "" } = parameters;
  // An expression without braces is text.
  const contentType = toText(parameters["contentType"], "json").replace(/^=|^application\//g, "");
  const pairs = toObject(parameters["bodyParameters"])["parameters"];
  const plain = (code: string): HttpPart => ({ code, keys: [] });
  if (contentType === "json") {
    if (specifyBody !== "json") return pathsPart(ctx, pairs);
    return jsonBodyPart(ctx, jsonBody);
  }
  if (contentType === "raw") return plain(`n8n.text(${toCode(body)})`);
  if (contentType === "form-urlencoded") {
    if (specifyBody === "string") return plain(toCode(body));
    // The body is one string, so keys stay in its fields until it is sent.
    const { code, keys } = pairsPart(ctx, pairs);
    return keys.length > 0
      ? { code, keys }
      : plain(`new URLSearchParams(Object.entries(${code})).toString()`);
  }
  if (contentType === "multipart-form-data") return formPart(ctx, pairs);
  if (contentType === "binaryData")
    return plain(`n8n.file($item, ${toCode(parameters["inputDataFieldName"] ?? "data")})`);
  throw new NotConvertible("has a body type that is not supported");
}

/** A JSON body. A field named `key` is often not a secret, so fewer names count than in headers. */
function jsonBodyPart(ctx: NodeContext, value: Json): HttpPart {
  const plain = { code: jsonCode(value), keys: [] };
  const pairs = readPairs(value);
  const isKey = ({ name }: { readonly name: Json }): boolean =>
    /api[-_]?key|token|secret|password/i.test(String(name));
  const { keys } = takeKeys(ctx, pairs?.filter(isKey) ?? []);
  if (!pairs || keys.length === 0) return plain;
  const names = new Set(keys.map(({ name }) => name));
  return {
    code: toCode(toMembers(pairs.filter(({ name }) => !names.has(String(name))))),
    keys,
  };
}

export function partsOfOld(ctx: NodeContext): HttpParts {
  const { parameters } = ctx.node;
  const { requestMethod = "GET", jsonParameters } = parameters;
  const part = (name: string): HttpPart =>
    jsonParameters === true
      ? jsonPart(ctx, parameters[`${name}ParametersJson`] ?? "{}")
      : pairsPart(ctx, toObject(parameters[`${name}ParametersUi`])["parameter"]);
  const hasBody =
    jsonParameters === true
      ? parameters["bodyParametersJson"] !== undefined
      : parameters["bodyParametersUi"] !== undefined;
  const [query, headers, body] = [
    part("query"),
    part("header"),
    hasBody ? part("body") : NO_BODY,
  ] as const;
  const common = { method: toCode(requestMethod), query: query.code, headers: headers.code };
  const keys = { query: query.keys, headers: headers.keys, body: body.keys };
  if (parameters["sendBinaryData"] === true) {
    const file = `n8n.file($item, ${toCode(parameters["binaryPropertyName"] ?? "data")})`;
    const isForm = toObject(parameters["options"])["bodyContentType"] === "multipart-form-data";
    return {
      ...(isForm && { bodyType: "multipart" as const }),
      ...common,
      body: isForm ? `{ ${hasBody ? `...${body.code}, ` : ""}file: ${file} }` : file,
      keys: isForm ? keys : { ...keys, body: [] },
    };
  }
  const isForm =
    toObject(parameters["options"])["bodyContentType"] === "form-urlencoded" &&
    hasBody &&
    keys.body.length === 0;
  return {
    ...common,
    body: isForm ? `new URLSearchParams(Object.entries(${body.code})).toString()` : body.code,
    keys,
  };
}
