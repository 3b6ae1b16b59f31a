/** n8n nodes that call other systems: any URL, and services with a token. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  findApproximations,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  optionsCode,
  outsideSteps,
  scriptStep,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { keysCode, takeUrlKeys, withKeys } from "../typed-keys.ts";
import { type HttpKeys, partsOfNew, partsOfOld } from "./http-parts.ts";

/** Supported request options. Others are reported. */
const KNOWN_OPTIONS = new Set([
  "response",
  "timeout",
  "batching",
  "redirect",
  "bodyContentType",
  "fullResponse",
  "splitIntoItems",
  "lowercaseHeaders",
  // Options that change only the encoding or n8n itself, but not the response.
  "queryParameterArrays",
  "pagination",
  "allowUnauthorizedCerts",
  "useStream",
  "sendCredentialsOnCrossOriginRedirect",
]);

const httpRequest: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const options = toObject(parameters["options"]);
  const { responseFormat, fullResponse, neverError } = toObject(
    toObject(options["response"])["response"],
  );
  const format = responseFormat ?? parameters["responseFormat"];
  const paging = pagingOf(options);
  const isForm =
    parameters["contentType"] === "form-urlencoded" ||
    (version < 3 && options["bodyContentType"] === "form-urlencoded");
  const { method, query, headers, body, bodyType, keys } =
    version >= 3 ? partsOfNew(ctx) : partsOfOld(ctx);
  const address = takeUrlKeys(ctx, parameters["url"] ?? "");
  const queryKeys = [...keys.query, ...address.keys];
  const hasConnector = !["none", ""].includes(toText(parameters["authentication"], "none"));
  const isMultipart = hasConnector && bodyType === "multipart";
  const typed = typedHeaders(headers, isMultipart ? "multipart" : isForm ? "form" : undefined);
  const args = `n8n.request({ method: ${method}, url: n8n.url(${toCode(address.url)}), query: ${query}, headers: n8n.headers(${typed}), body: ${body} })`;
  const request = {
    method: "{{ item.method }}",
    query: withKeys("query", queryKeys),
    headers: withKeys("headers", keys.headers),
    body: withKeys("body", keys.body),
    ...(format === "file" && { response: "file" }),
  };
  const step = !hasConnector
    ? {
        type: "http",
        config: {
          url: "{{ item.url }}",
          ...request,
          ...(bodyType === "multipart" && { bodyType }),
          // Without keys the body is already text.
          ...(isForm && keys.body.length > 0 && { bodyType: "form" }),
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
  const each = itemsCode(ctx, format, fullResponse === true);
  if (paging) {
    if (format === "file" || bodyType) throw new NotConvertible("reads files page by page");
    const { connectorId } = step.config as { readonly connectorId?: string };
    const whole = addKeys(args, { ...keys, query: queryKeys });
    return pagedSteps(ctx, { args: whole, each, connectorId, paging });
  }
  const made = outsideSteps(ctx, { args, step, flatten: flattenCode(ctx, each) }, parameters);
  return { ...made, approximations: [...(made.approximations ?? []), ...listNotes(options)] };
};

/** Notes about options with another meaning or no effect here. */
function listNotes(options: JsonObject): string[] {
  const strange = Object.keys(options).filter((name) => !KNOWN_OPTIONS.has(name));
  return [
    ...(options["allowUnauthorizedCerts"] === true
      ? ["an invalid certificate is not accepted"]
      : []),
    ...strange.map((name) => `the option ${name} is ignored`),
  ];
}

/** Code of headers with the content type of the form. For an encoded form the header set in the node wins. */
function typedHeaders(headers: string, kind: "multipart" | "form" | undefined): string {
  if (kind === undefined) return headers;
  return kind === "multipart"
    ? `{ ...${headers}, "content-type": "multipart/form-data" }`
    : `{ "content-type": "application/x-www-form-urlencoded", ...${headers} }`;
}

/** Code of a request with its typed keys. */
function addKeys(args: string, keys: HttpKeys): string {
  const parts = Object.entries(keys).filter(([, list]) => list.length > 0);
  if (parts.length === 0) return args;
  const members = parts.map(([name, list]) => `${name}: { ...made.${name}${keysCode(list)} }`);
  return `await (async (made) => ({ ...made, ${members.join(", ")} }))(${args})`;
}

/** The pagination of the node; undefined for a single page. */
function pagingOf(options: JsonObject): JsonObject | undefined {
  if (options["pagination"] === undefined) return undefined;
  const paging = toObject(toObject(options["pagination"])["pagination"]);
  return paging["paginationMode"] === "off" ? undefined : paging;
}

const PAGES_MAX = 100;

/** A script that reads pages as defined by the expressions of the node. */
function pagedSteps(
  ctx: NodeContext,
  {
    args,
    each,
    connectorId,
    paging,
  }: {
    readonly args: string;
    readonly each: string;
    readonly connectorId: string | undefined;
    readonly paging: JsonObject;
  },
): ConvertedNode {
  const { parameters } = ctx.node;
  const {
    parameters: changed,
    nextURL = "",
    paginationCompleteWhen = "responseIsEmpty",
    statusCodesWhenComplete = "",
    completeExpression = "",
    limitPagesFetched,
    maxRequests = PAGES_MAX,
  } = paging;
  const isNext = paging["paginationMode"] === "responseContainsNextURL";
  const call =
    connectorId === undefined
      ? "context.http.request(n8n.withQuery(request))"
      : `context.connectors.invoke(${JSON.stringify(connectorId)}, "request", request)`;
  const changes = toList(toObject(changed)["parameters"]).map((one) => {
    const { type = "qs", name = "", value = "" } = toObject(one);
    const part = type === "headers" ? "headers" : type === "body" ? "body" : "query";
    return `request.${part} = { ...request.${part}, [${toCode(name)}]: ${toCode(value)} };`;
  });
  const isLast =
    paginationCompleteWhen === "other"
      ? `Boolean(${toCode(completeExpression)})`
      : paginationCompleteWhen === "receiveSpecificStatusCodes"
        ? `n8n.list(${toCode(statusCodesWhenComplete)}).map(Number).includes(one.status)`
        : "(Array.isArray(one.body) ? one.body.length === 0 : !one.body)";
  const limit =
    limitPagesFetched === true
      ? `Math.min(Number(${toCode(maxRequests)}), ${PAGES_MAX})`
      : PAGES_MAX;
  const source = `const made = [];
for (const view of n8n.each(input, ${optionsCode(ctx, parameters)}, (view) => view)) {
  const { ${PAGE_NAMES} } = view;
  let $response = { body: {}, headers: {}, statusCode: 0 }, $request = {};
  for (let $pageCount = 0; $pageCount < ${limit}; $pageCount += 1) {
    const request = ${args};
    ${isNext ? `if ($pageCount > 0) {\n      request.url = ${toCode(nextURL)};\n      if (!request.url) break;\n    }` : changes.join("\n    ")}
    $request = request;
    const one = await ${call};
    $response = { body: one.body, headers: one.headers, statusCode: one.status };
    made.push(...${each});
    if (${isLast}) break;
  }
}
return made;`;
  return {
    steps: [scriptStep(ctx, ctx.id, source)],
    approximations: [
      ...findApproximations(ctx, parameters),
      `one step reads all pages, at most ${PAGES_MAX}, without pauses`,
    ],
  };
}

const PAGE_NAMES =
  "$json, $binary, $item, $input, $, $node, $items, items, $now, $today, $itemIndex, $execution, $workflow, value";

/** Builds code for the items of a response. The response can be a file. */
function itemsCode(
  { node: { parameters, version } }: NodeContext,
  format: Json,
  isFull: boolean,
): string {
  const options = toObject(parameters["options"]);
  const { outputPropertyName } = toObject(toObject(options["response"])["response"]);
  const property = JSON.stringify(
    toText(outputPropertyName ?? parameters["dataPropertyName"], "data"),
  );
  return isFull || options["fullResponse"] === true
    ? `[n8n.fullAnswer(one${version >= 3 && format === "text" ? `, ${property}` : ""})]`
    : format === "text" || format === "string"
      ? "[{ data: one.body }]"
      : version >= 3
        ? `n8n.answer(one.body, ${property})`
        : `n8n.answer(Array.isArray(one.body) ? [one.body] : one.body, ${property})`;
}

/** The credential type of a node. */
function credentialOf({ node }: NodeContext): string {
  const { nodeCredentialType, genericAuthType, authentication } = node.parameters;
  return toText(
    nodeCredentialType,
    toText(genericAuthType, node.credentials[0] ?? toText(authentication, "credential")),
  );
}

/**
 * Code that converts responses to items, as two lists if errors have a separate output. `each` can use `one`, and
 * `asked`, its request.
 */
export function flattenCode({ node, id }: NodeContext, each: string): string {
  const error = '{ error: "The call failed." }';
  const made = /\basked\b/.test(each)
    ? `((asked) => ${each})(input.steps.${id}_args.output[at])`
    : each;
  const names = made === each ? "(one)" : "(one, at)";
  if (node.onError === "continueErrorOutput") {
    return `return { o0: outputs.flatMap(${names} => one === null ? [] : ${made}), o1: outputs.filter((one) => one === null).map(() => (${error})) };`;
  }
  return `return outputs.flatMap(${names} => one === null ? [${error}] : ${made});`;
}

export const outsideNodes: NodeTable = { httpRequest };
