/** Services that keep data (Airtable, Supabase, GitHub), and of language models (OpenAI, Perplexity). */
import { toCode } from "../code-text.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { type Describe, encode, locator } from "./service-operation.ts";

export const airtable: Describe = (parameters, version) => {
  if (version < 2) return undefined;
  const { resource = "record", operation = "get", columns } = parameters;
  if (resource !== "record") return undefined;
  const path = `"/" + ${encode(locator(parameters["base"]))} + "/" + ${encode(locator(parameters["table"]))}`;
  const takes = [
    "resource",
    "operation",
    "base",
    "table",
    "id",
    "columns",
    "filterByFormula",
    "returnAll",
    "limit",
    "options",
    "authentication",
  ];
  const record = "[{ id: one.body.id, createdTime: one.body.createdTime, ...one.body.fields }]";
  const { mappingMode, value } = toObject(columns);
  const { id: _, ...mapped } = toObject(value);
  const fields =
    mappingMode === "autoMapInputData"
      ? "(({ id, createdTime, ...rest }) => rest)($json)"
      : toCode(mapped);
  const id = `"/" + ${encode(operation === "update" ? toCode(toObject(value)["id"] ?? "") : toCode(parameters["id"] ?? ""))}`;
  switch (operation) {
    case "get":
      return { path: `${path} + ${id}`, items: record, takes };
    case "create":
      return {
        method: "POST",
        path,
        body: `{ fields: ${fields}, typecast: true }`,
        items: record,
        takes,
      };
    case "update":
      return {
        method: "PATCH",
        path: `${path} + ${id}`,
        body: `{ fields: ${fields}, typecast: true }`,
        items: record,
        takes,
      };
    case "deleteRecord":
      return { method: "DELETE", path: `${path} + ${id}`, items: "[one.body]", takes };
    case "search": {
      const formula = parameters["filterByFormula"];
      const size = parameters["returnAll"] === false ? Number(parameters["limit"] ?? 100) : 100;
      return {
        path,
        query: `{ pageSize: ${Math.min(size, 100)}, ...${formula === undefined || formula === "" ? "{}" : `{ filterByFormula: ${toCode(formula)} }`} }`,
        items:
          "one.body.records.map(({ id, createdTime, fields }) => ({ id, createdTime, ...fields }))",
        takes,
      };
    }
    default:
      return undefined;
  }
};

export const supabase: Describe = (parameters) => {
  const { operation = "create", tableId, useCustomSchema } = parameters;
  if (useCustomSchema === true) return undefined;
  const path = `"/rest/v1/" + ${encode(toCode(tableId ?? ""))}`;
  const takes = [
    "resource",
    "operation",
    "tableId",
    "dataToSend",
    "fieldsUi",
    "filters",
    "filterType",
    "matchType",
    "returnAll",
    "limit",
    "useCustomSchema",
    "inputsToIgnore",
  ];
  const fields = toList(toObject(parameters["fieldsUi"])["fieldValues"]).map(toObject);
  const pairs = fields.map(
    ({ fieldId = "", fieldValue = "" }) => `[${toCode(fieldId)}]: ${toCode(fieldValue)}`,
  );
  const body =
    parameters["dataToSend"] === "autoMapInputData" ? "$json" : `{ ${pairs.join(", ")} }`;
  const filters = toList(toObject(parameters["filters"])["conditions"]).map(toObject);
  if (parameters["filterType"] === "string" || parameters["matchType"] === "anyFilter")
    return undefined;
  const query = filters.map(
    ({ keyName = "", condition = "eq", keyValue = "" }) =>
      `[${toCode(keyName)}]: ${JSON.stringify(`${toText(condition, "eq")}.`)} + n8n.text(${toCode(keyValue)})`,
  );
  const items = "n8n.toList(one.body)";
  const headers = '{ Prefer: "return=representation" }';
  const where = `{ ${[...query, ...(parameters["returnAll"] === true ? [] : [`limit: ${toCode(parameters["limit"] ?? 50)}`])].join(", ")} }`;
  switch (operation) {
    case "create":
      return { method: "POST", path, body: `${body}, headers: ${headers}`, items, takes };
    case "getAll":
      return { path, query: where, items, takes };
    case "get":
      return { path, query: `{ ${query.join(", ")} }`, items, takes };
    case "update":
      return {
        method: "PATCH",
        path,
        query: `{ ${query.join(", ")} }`,
        body: `${body}, headers: ${headers}`,
        items,
        takes,
      };
    case "delete":
      return {
        method: "DELETE",
        path,
        query: `{ ${query.join(", ")} }, headers: ${headers}`,
        items,
        takes,
      };
    default:
      return undefined;
  }
};

export const github: Describe = (parameters) => {
  const { resource = "issue", operation = "create" } = parameters;
  const path = `"/repos/" + ${encode(locator(parameters["owner"]))} + "/" + ${encode(locator(parameters["repository"]))}`;
  const takes = [
    "authentication",
    "resource",
    "operation",
    "owner",
    "repository",
    "issueNumber",
    "title",
    "body",
    "labels",
    "assignees",
    "returnAll",
    "limit",
  ];
  const number = `"/" + ${encode(toCode(parameters["issueNumber"] ?? ""))}`;
  if (resource === "issue" && operation === "create") {
    return {
      method: "POST",
      path: `${path} + "/issues"`,
      body: `{ title: ${toCode(parameters["title"] ?? "")}, body: ${toCode(parameters["body"] ?? "")} }`,
      items: "[one.body]",
      takes,
    };
  }
  if (resource === "issue" && operation === "get")
    return { path: `${path} + "/issues" + ${number}`, items: "[one.body]", takes };
  if (resource === "issue" && operation === "createComment") {
    return {
      method: "POST",
      path: `${path} + "/issues" + ${number} + "/comments"`,
      body: `{ body: ${toCode(parameters["body"] ?? "")} }`,
      items: "[one.body]",
      takes,
    };
  }
  if (resource === "repository" && operation === "getIssues")
    return { path: `${path} + "/issues"`, items: "n8n.toList(one.body)", takes };
  return undefined;
};

export const openAi: Describe = (parameters) => {
  const {
    resource = "text",
    operation = "message",
    modelId,
    messages,
    jsonOutput,
    options,
  } = parameters;
  if (resource !== "text" || operation !== "message") return undefined;
  if (toObject(options)["tools"] !== undefined) return undefined;
  const list = toList(toObject(messages)["values"]).map((one) => {
    const { role = "user", content = "" } = toObject(one);
    return `{ role: ${toCode(role)}, content: n8n.text(${toCode(content)}) }`;
  });
  const { temperature, maxTokens, topP } = toObject(options);
  const more = { temperature, max_tokens: maxTokens, top_p: topP };
  const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  const format = jsonOutput === true ? ', response_format: { type: "json_object" }' : "";
  const content =
    jsonOutput === true
      ? "one.body.choices.map((choice) => ({ ...choice, message: { ...choice.message, content: JSON.parse(choice.message.content) } }))"
      : "one.body.choices";
  return {
    method: "POST",
    path: '"/chat/completions"',
    body: `{ model: ${locator(modelId)}, messages: [${list.join(", ")}]${format}, ...${toCode(given)} }`,
    items: content,
    takes: ["resource", "operation", "modelId", "messages", "jsonOutput", "options", "simplify"],
  };
};

export const perplexity: Describe = (parameters) => {
  const { messages, model = "sonar" } = parameters;
  const list = toList(toObject(messages)["message"]).map((one) => {
    const { role = "user", content = "" } = toObject(one);
    return `{ role: ${toCode(role)}, content: n8n.text(${toCode(content)}) }`;
  });
  return {
    method: "POST",
    path: '"/chat/completions"',
    body: `{ model: ${toCode(model)}, messages: [${list.join(", ")}] }`,
    items:
      parameters["simplify"] === true
        ? "[{ message: one.body.choices[0].message.content, citations: one.body.citations }]"
        : "[one.body]",
    takes: ["resource", "operation", "messages", "model", "simplify", "options"],
  };
};
