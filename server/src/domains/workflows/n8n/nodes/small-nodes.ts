/** Small n8n nodes: mails, aggregations, form endings. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  listScript,
  NotConvertible,
  type NodeTable,
  outsideSteps,
  param,
} from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { flowNodes } from "./flow-nodes.ts";
import { formPageNode } from "./form-node.ts";
import { flattenCode } from "./outside-nodes.ts";

const emailSend: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  if (toText(parameters["operation"], "send") !== "send")
    throw new NotConvertible("waits for a reply");
  const options = toObject(parameters["options"]);
  const attachments = options["attachments"] ?? parameters["attachments"] ?? "";
  const format = toText(parameters["emailFormat"], ctx.node.version >= 2 ? "html" : "both");
  const list = (code: string) =>
    `n8n.text(${code}).split(",").map((one) => one.trim()).filter((one) => one !== "")`;
  const members = [
    `to: ${list(param(ctx, "toEmail"))}`,
    `from: n8n.text(${param(ctx, "fromEmail")})`,
    `subject: n8n.text(${param(ctx, "subject")})`,
    ...(format === "html" ? [] : [`text: n8n.text(${param(ctx, "text")})`]),
    ...(format === "text" ? [] : [`html: n8n.text(${param(ctx, "html")})`]),
    ...(["cc", "bcc"] as const).flatMap((name) => {
      const value = options[`${name}Email`] ?? parameters[`${name}Email`];
      return value === undefined || value === "" ? [] : [`${name}: ${list(toCode(value))}`];
    }),
    ...(attachments === ""
      ? []
      : [`attachments: n8n.list(${toCode(attachments)}).map((name) => n8n.file($item, name))`]),
    ...(options["replyTo"] === undefined
      ? []
      : [`replyTo: n8n.text(${toCode(options["replyTo"])})`]),
  ];
  const step = {
    type: "connector",
    config: {
      connectorId: ctx.bind("connector", "smtp", "A mail server (smtp)"),
      action: "send",
      input: "{{ item }}",
    },
  };
  const args = `{ ${members.join(", ")} }`;
  return outsideSteps(ctx, { args, step, flatten: flattenCode(ctx, "[one]") }, parameters);
};

const SUMS: Readonly<Record<string, string>> = {
  append: "values",
  average:
    "values.length === 0 ? null : values.reduce((sum, one) => sum + Number(one), 0) / values.length",
  concatenate: 'values.join(",")',
  count: "values.length",
  countUnique: "new Set(values.map((one) => JSON.stringify(one))).size",
  max: "values.length === 0 ? null : values.reduce((one, other) => (other > one ? other : one))",
  min: "values.length === 0 ? null : values.reduce((one, other) => (other < one ? other : one))",
  sum: "values.reduce((sum, one) => sum + Number(one), 0)",
};
const SUM_NAMES: Readonly<Record<string, string>> = {
  append: "appended",
  concatenate: "concatenated",
  countUnique: "unique_count",
};

/** Groups rows and aggregates their fields. */
const summarize: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const fields = toList(toObject(parameters["fieldsToSummarize"])["values"]).map((one) => {
    const { aggregation, field, separateBy, customSeparator } = toObject(one);
    const kind = toText(aggregation, "count");
    const separator = JSON.stringify(
      separateBy === "other" ? toText(customSeparator) : toText(separateBy, ","),
    );
    const code = SUMS[kind]?.replace('join(",")', `join(${separator})`);
    if (code === undefined || toText(field).startsWith("="))
      throw new NotConvertible(`summarizes by ${kind} with a custom separator`);
    return { name: `${SUM_NAMES[kind] ?? kind}_${toText(field)}`, field: toText(field), code };
  });
  const splits = toText(parameters["fieldsToSplitBy"])
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const options = toObject(parameters["options"]);
  if (fields.length === 0 || splits.some((one) => one.startsWith("=")))
    throw new NotConvertible("uses expressions for the fields to summarize");
  if (options["outputFormat"] === "singleItem")
    throw new NotConvertible("returns one item for all groups");
  const members = fields.map(
    ({ name, field, code }) =>
      `[${JSON.stringify(name)}]: ((values) => ${code})(rows.map((row) => row[${JSON.stringify(field)}]).filter((one) => one !== undefined && one !== null && one !== ""))`,
  );
  const keys = splits.map((name) => `[${JSON.stringify(name)}]: rows[0][${JSON.stringify(name)}]`);
  return {
    steps: [
      listScript(
        ctx,
        ctx.id,
        `const by = ${JSON.stringify(splits)};
const groups = Map.groupBy(list, (row) => JSON.stringify(by.map((name) => row[name])));
return [...groups.values()].map((rows) => ({ ${[...keys, ...members].join(", ")} }));`,
      ),
    ],
    approximations: splits.concat(fields.map(({ field }) => field)).some((one) => one.includes("."))
      ? ["a name with a dot is a field name, not a path"]
      : [],
  };
};

/** The page after a form becomes the response of the run. */
const form: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const {
    operation = "page",
    respondWith = "text",
    completionTitle,
    completionMessage,
  } = parameters;
  const respond = flowNodes["respondToWebhook"];
  if (operation !== "completion" || !respond) return formPageNode(ctx);
  if (respondWith === "returnBinary") throw new NotConvertible("needs files");
  const isElsewhere = respondWith === "redirect";
  const own =
    respondWith === "showText"
      ? (parameters["responseText"] ?? "")
      : isElsewhere
        ? (parameters["redirectUrl"] ?? "")
        : undefined;
  const texts = [completionTitle, completionMessage].filter(
    (one) => one !== undefined && one !== "",
  );
  const code = texts.map((one) => `n8n.text(${toCode(one)})`).join(' + "\\n\\n" + ');
  const responseBody = own ?? `={{ ${code === "" ? '"Thank you."' : code} }}`;
  const made = respond({
    ...ctx,
    node: { ...ctx.node, parameters: { respondWith: "text", responseBody } },
  });
  return {
    ...made,
    approximations: [
      ...(made.approximations ?? []),
      ...(isElsewhere ? ["shows the URL instead of redirecting"] : []),
      ...(own === undefined || isElsewhere ? [] : ["shows HTML as text"]),
    ],
  };
};

/** An MCP client node of a community package: it lists or calls tools. */
const mcpClient: Convert = (ctx) => {
  const { parameters, name } = ctx.node;
  assertSupported(parameters);
  const { operation = "listTools", toolName = "", toolParameters = "{}" } = parameters;
  const connectorId = ctx.bind("connector", name, `${name}: a server of MCP`);
  if (operation === "listTools") {
    const step = { type: "connector", config: { connectorId, action: "list_tools" } };
    const flatten = flattenCode(ctx, "[{ tools: one.tools }]");
    return outsideSteps(ctx, { args: "{}", step, flatten }, parameters);
  }
  if (operation !== "executeTool")
    throw new NotConvertible(`uses the unsupported MCP operation ${toText(operation)}`);
  const args = `{ name: n8n.text(${toCode(toolName)}), arguments: n8n.json(${toCode(toolParameters)}) }`;
  const config = { connectorId, action: "call_tool", input: "{{ item }}" };
  const flatten = flattenCode(ctx, "[{ result: one }]");
  return outsideSteps(ctx, { args, step: { type: "connector", config }, flatten }, parameters);
};

/** Workflows have no evaluation runs: outputs and metrics pass through, and the check for an evaluation is false. */
const evaluation: Convert = (ctx) => {
  const { operation = "setOutputs" } = ctx.node.parameters;
  const isQuestion = operation === "checkIfEvaluating";
  return {
    steps: [listScript(ctx, ctx.id, isQuestion ? "return { o0: [], o1: list };" : "return list;")],
    approximations: ["evaluations are not imported: every run is a production run"],
  };
};

export const smallNodes: NodeTable = {
  evaluation,
  emailSend,
  summarize,
  form,
  "n8n-nodes-mcp.mcpClient": mcpClient,
};
