/** The nodes of n8n that call others: any address, and the services that take a token. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  outsideSteps,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { requestOf } from "../services/requests.ts";

/** Pairs of names and values as code of an object. */
function pairsCode(list: Json): string {
  const members = toList(list).map((one) => {
    const { name = "", value = "" } = toObject(one);
    return `[${toCode(name)}]: ${toCode(value)}`;
  });
  return `{ ${members.join(", ")} }`;
}

/** JSON that is written as a text, or is the value of an expression. */
function jsonCode(value: Json): string {
  return `((made) => typeof made === "string" ? JSON.parse(made) : made)(${toCode(value)})`;
}

interface HttpParts {
  readonly method: string;
  readonly query: string;
  readonly headers: string;
  readonly body: string;
}

function partsOfNew(parameters: JsonObject): HttpParts {
  const { method = "GET", sendQuery, sendHeaders, specifyQuery, specifyHeaders } = parameters;
  const query =
    sendQuery !== true
      ? "{}"
      : specifyQuery === "json"
        ? jsonCode(parameters["jsonQuery"] ?? "{}")
        : pairsCode(toObject(parameters["queryParameters"])["parameters"]);
  const headers =
    sendHeaders !== true
      ? "{}"
      : specifyHeaders === "json"
        ? jsonCode(parameters["jsonHeaders"] ?? "{}")
        : pairsCode(toObject(parameters["headerParameters"])["parameters"]);
  return {
    method: toCode(method),
    query,
    headers,
    body: parameters["sendBody"] === true ? bodyOfNew(parameters) : "undefined",
  };
}

function bodyOfNew(parameters: JsonObject): string {
  const { contentType = "json", specifyBody = "keypair", jsonBody = "{}", body = "" } = parameters;
  const pairs = toObject(parameters["bodyParameters"])["parameters"];
  if (contentType === "json") return specifyBody === "json" ? jsonCode(jsonBody) : pairsCode(pairs);
  if (contentType === "raw") return `n8n.text(${toCode(body)})`;
  if (contentType === "form-urlencoded") {
    return specifyBody === "string"
      ? toCode(body)
      : `new URLSearchParams(Object.entries(${pairsCode(pairs)})).toString()`;
  }
  throw new NotConvertible("needs files");
}

function partsOfOld(parameters: JsonObject): HttpParts {
  const { requestMethod = "GET", jsonParameters } = parameters;
  const part = (name: string): string =>
    jsonParameters === true
      ? jsonCode(parameters[`${name}ParametersJson`] ?? "{}")
      : pairsCode(toObject(parameters[`${name}ParametersUi`])["parameter"]);
  const hasBody =
    jsonParameters === true
      ? parameters["bodyParametersJson"] !== undefined
      : parameters["bodyParametersUi"] !== undefined;
  if (parameters["sendBinaryData"] === true) throw new NotConvertible("needs files");
  return {
    method: toCode(requestMethod),
    query: part("query"),
    headers: part("header"),
    body: hasBody ? part("body") : "undefined",
  };
}

/** The options of a call that are known here; others are told. */
const KNOWN_OPTIONS = new Set([
  "response",
  "timeout",
  "batching",
  "redirect",
  "bodyContentType",
  "fullResponse",
  "splitIntoItems",
  "lowercaseHeaders",
]);

const httpRequest: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const options = toObject(parameters["options"]);
  const { responseFormat, fullResponse, neverError } = toObject(
    toObject(options["response"])["response"],
  );
  const format = responseFormat ?? parameters["responseFormat"];
  if (format === "file") throw new NotConvertible("needs files");
  if (options["pagination"] !== undefined)
    throw new NotConvertible("reads pages by expressions of n8n");
  const strange = Object.keys(options).filter((name) => !KNOWN_OPTIONS.has(name));
  const isForm = parameters["contentType"] === "form-urlencoded";
  const { method, query, headers, body } =
    version >= 3 ? partsOfNew(parameters) : partsOfOld(parameters);
  const typed = isForm
    ? `{ "content-type": "application/x-www-form-urlencoded", ...${headers} }`
    : headers;
  const url = toCode(parameters["url"] ?? "");
  const args = `{ method: ${method}, url: ${url}, query: ${query}, headers: Object.fromEntries(Object.entries(${typed}).map(([name, value]) => [name, n8n.text(value)])), body: ${body} }`;
  const authentication = toText(parameters["authentication"], "none");
  const request = {
    method: "{{ item.method }}",
    query: "{{ item.query }}",
    headers: "{{ item.headers }}",
    body: "{{ item.body }}",
  };
  const step =
    authentication === "none" || authentication === ""
      ? {
          type: "http",
          config: {
            url: "{{ item.url }}",
            ...request,
            redirects: 5,
            ...(neverError === true && { failOn: [] }),
          },
        }
      : {
          type: "connector",
          config: {
            connectorId: ctx.bind(
              "connector",
              credentialOf(ctx),
              `${ctx.node.name}: ${credentialOf(ctx)}`,
            ),
            action: "request",
            input: { url: "{{ item.url }}", ...request },
          },
        };
  const isFull = fullResponse === true || options["fullResponse"] === true;
  const each = isFull
    ? "[{ body: one.body, headers: one.headers, statusCode: one.status }]"
    : format === "text" || format === "string"
      ? "[{ data: one.body }]"
      : version >= 3
        ? "n8n.toList(one.body)"
        : "n8n.toList([one.body])";
  const made = outsideSteps(ctx, { args, step, flatten: flattenCode(ctx, each) }, parameters);
  return {
    ...made,
    approximations: [
      ...(made.approximations ?? []),
      ...strange.map((name) => `the option ${name} is left out`),
    ],
  };
};

/** The kind of credential that a node has. */
function credentialOf({ node }: NodeContext): string {
  const { nodeCredentialType, genericAuthType, authentication } = node.parameters;
  return toText(
    nodeCredentialType,
    toText(genericAuthType, node.credentials[0] ?? toText(authentication, "credential")),
  );
}

/** Code that makes items of the answers; where errors have an output of their own, two lists. */
export function flattenCode({ node }: NodeContext, each: string): string {
  const error = '{ error: "The call failed." }';
  if (node.onError === "continueErrorOutput") {
    return `return { o0: outputs.filter((one) => one !== null).flatMap((one) => ${each}), o1: outputs.filter((one) => one === null).map(() => (${error})) };`;
  }
  return `return outputs.flatMap((one) => one === null ? [${error}] : ${each});`;
}

/** A node of a service, by its description. */
const service: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const request = requestOf(ctx.node);
  if (request === undefined) {
    const { resource, operation } = parameters;
    const what = [resource, operation].filter((one) => typeof one === "string").join(".");
    throw new NotConvertible(`needs ${ctx.node.type}${what === "" ? "" : ` ${what}`}`);
  }
  const step = {
    type: "connector",
    config: {
      connectorId: ctx.bind("connector", request.service, request.title),
      action: "request",
      input: "{{ item }}",
    },
  };
  const made = outsideSteps(
    ctx,
    { args: request.args, step, flatten: flattenCode(ctx, request.items) },
    parameters,
  );
  return { ...made, approximations: [...(made.approximations ?? []), ...request.approximations] };
};

export const outsideNodes: NodeTable = { httpRequest };
export const serviceNode = service;
