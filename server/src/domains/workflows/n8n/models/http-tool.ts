/** Tools that send HTTP requests. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { keysCode, takeKeys, takeUrlKeys, type TypedKey } from "../typed-keys.ts";
import { scriptTool } from "./service-tool.ts";
import { ComputedArgument, ToolArguments } from "./tool-arguments.ts";
import type { ConvertTool } from "./tool-context.ts";

/** Rejects a tool without an address. */
export function assertAddress(url: Json): void {
  if (!/^(?:=[\s\S]*\{|=?https?:\/\/|\{)/.test(toText(url)))
    throw new NotConvertible("has a tool without a URL");
}

export const httpTool: ConvertTool = (part, ctx) => {
  try {
    return plainTool(part, ctx);
  } catch (error) {
    if (!(error instanceof ComputedArgument)) throw error;
    return computedTool(part, ctx);
  }
};

const plainTool: ConvertTool = ({ node }, ctx) => {
  const { bind } = ctx;
  const { parameters } = node;
  const given = new ToolArguments(ctx, parameters["placeholderDefinitions"]);
  const address = takeUrlKeys({ node, bind }, parameters["url"] ?? "");
  const pairs = (name: string, more: readonly TypedKey[] = []): JsonObject => {
    const values = toObject(parameters[name]);
    const list = toList(values["parameters"] ?? values["values"]).map((one) => {
      const { name: field = "", value = "" } = toObject(one);
      return { name: toText(field), value };
    });
    const { rest, keys } = takeKeys({ node, bind }, list);
    const plain = given.read(Object.fromEntries(rest.map((one) => [one.name, one.value])));
    return { ...toObject(plain), ...secretMembers([...keys, ...more]) };
  };
  // An address that starts with a path is relative to the base URL of an API. n8n itself could not call it.
  const isPath = /^=?\/\w/.test(toText(address.url));
  if (!isPath) assertAddress(address.url);
  const json = toText(parameters["jsonBody"]);
  const hasQuery = parameters["sendQuery"] === true || address.keys.length > 0;
  const request = {
    method: toText(parameters["method"], "GET"),
    [isPath ? "path" : "url"]: given.read(address.url),
    ...(hasQuery && { query: pairs("queryParameters", address.keys) }),
    ...(parameters["sendHeaders"] === true && { headers: pairs("headerParameters") }),
    ...(parameters["sendBody"] === true && {
      body: json === "" ? pairs("bodyParameters") : given.read(json),
    }),
  };
  const authentication = toText(parameters["authentication"], "none");
  const schema = given.schema;
  if (!isPath && (authentication === "none" || authentication === "")) {
    return { type: "http", parameters: schema, config: request };
  }
  const credential = node.credentials[0] ?? authentication;
  if (isPath) ctx.approximations.push("paths are those under the base URL of the connector");
  const connectorId = isPath
    ? bind("connector", "api", `${ctx.workflowName}: the API, by its base URL (type HTTP)`)
    : bind("connector", credential, `${node.name}: ${credential}`);
  return {
    type: "connector",
    parameters: schema,
    config: { connectorId, action: "request", input: request },
  };
};

/** Fields with secret values. */
function secretMembers(keys: readonly TypedKey[]): JsonObject {
  return Object.fromEntries(
    keys.map(({ name, before, secret }) => [name, `${before}{{secrets.${secret}}}`]),
  );
}

/** A tool that computes with the model arguments: a script that sends the request. */
const computedTool: ConvertTool = ({ node }, ctx) => {
  const { parameters } = node;
  const about = { node, bind: ctx.bind };
  const address = takeUrlKeys(about, parameters["url"] ?? "");
  assertAddress(address.url);
  const part = (name: string, flag: string, more: readonly TypedKey[] = []): string => {
    const { rest, keys } = takeKeys(
      about,
      parameters[flag] === true
        ? toList(toObject(parameters[name])["parameters"]).map((one) => {
            const { name: field = "", value = "" } = toObject(one);
            return { name: field, value };
          })
        : [],
    );
    const members = rest.map((one) => `[${toCode(one.name)}]: ${toCode(one.value)}`);
    return `{ ${members.join(", ")}${keysCode([...keys, ...more]).replace(/^,/, members.length > 0 ? "," : "")} }`;
  };
  const json = parameters["jsonBody"];
  const body =
    json === undefined ? part("bodyParameters", "sendBody") : `n8n.json(${toCode(json)})`;
  const headers = `Object.fromEntries(Object.entries(${part("headerParameters", "sendHeaders")}).map(([name, value]) => [name, n8n.text(value)]))`;
  const request = `{ method: ${toCode(parameters["method"] ?? "GET")}, url: n8n.text(${toCode(address.url)}), query: ${part("queryParameters", "sendQuery", address.keys)}, headers: ${headers}${parameters["sendBody"] === true ? `, body: ${body}` : ""} }`;
  const authentication = toText(parameters["authentication"], "none");
  const credential = node.credentials[0] ?? authentication;
  const call = ["none", ""].includes(authentication)
    ? "context.http.request(n8n.withQuery(request))"
    : `context.connectors.invoke(${JSON.stringify(ctx.bind("connector", credential, `${node.name}: ${credential}`))}, "request", request)`;
  return scriptTool(
    ctx,
    request,
    `const request = ${request};\nconst one = await ${call};\nreturn n8n.toList(one.body);`,
  );
};
