/** n8n nodes for HTML, Markdown, XML, feeds, dates and GraphQL, as calls of the library. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  eachScript,
  findApproximations,
  listScript,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  outsideSteps,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { takeKeys, withKeys } from "../typed-keys.ts";
import { flattenCode } from "./outside-nodes.ts";

/** One script that computes a value for each item. */
function computeEach(ctx: NodeContext, code: string, notes: readonly string[] = []) {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  return {
    steps: [eachScript(ctx, ctx.id, code, parameters)],
    approximations: [...findApproximations(ctx, parameters), ...notes],
  };
}

const html: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { operation = "generateHtmlTemplate" } = parameters;
  const options = toObject(parameters["options"]);
  if (operation === "generateHtmlTemplate") {
    const text = toText(parameters["html"]);
    return computeEach(
      ctx,
      `({ html: n8n.text(${toCode(text.startsWith("=") ? text : `=${text}`)}) })`,
    );
  }
  if (operation === "convertToHtmlTable") {
    const code = `n8n.htmlTable(list.map(({ $binary, ...json }) => json), { capitalize: ${options["capitalize"] === true} })`;
    return {
      steps: [listScript(ctx, ctx.id, `return list.length === 0 ? [] : [{ table: ${code} }];`)],
      approximations: options["customStyling"] === true ? ["the table has no style"] : [],
    };
  }
  return extract(ctx);
};

/** Values by selectors. The older node works in the same way. */
const extract: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { sourceData = "json", dataPropertyName = "data", extractionValues } = parameters;
  if (sourceData === "binary") throw new NotConvertible("reads HTML of a file");
  const { trimValues = true, cleanUpText = ctx.node.version >= 1.2 } = toObject(
    parameters["options"],
  );
  const values = toList(toObject(extractionValues)["values"]).map((one) => toCode(toObject(one)));
  const property = toText(dataPropertyName, "data");
  const source = property.startsWith("=")
    ? toCode(property)
    : `n8n.get($json, ${JSON.stringify(property)})`;
  const code = `((found) => Array.isArray(found) ? found : [found])(${source}).map((one) => n8n.htmlExtract(one, [${values.join(", ")}], { trim: ${trimValues !== false}, clean: ${cleanUpText === true} }))`;
  const made = computeEach(ctx, code);
  return {
    ...made,
    steps: made.steps.map((step) => ({
      ...step,
      config: {
        source: String((step.config as { source?: string }).source).replace(
          /^return ([\s\S]*);$/,
          "return ($1).flat();",
        ),
      },
    })),
  };
};

const markdown: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { mode = "htmlToMarkdown", destinationKey = "data" } = parameters;
  const { simpleLineBreaks } = toObject(parameters["options"]);
  const made =
    mode === "markdownToHtml"
      ? `n8n.toHtml(${toCode(parameters["markdown"] ?? "")}, { breaks: ${simpleLineBreaks === true} })`
      : `n8n.toMarkdown(${toCode(parameters["html"] ?? "")})`;
  return computeEach(ctx, `n8n.set($item, ${toCode(destinationKey)}, ${made})`);
};

const xml: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { mode = "xmlToJson", dataPropertyName = "data" } = parameters;
  const options = toCode(toObject(parameters["options"]));
  const property = toCode(dataPropertyName);
  return mode === "jsonToxml"
    ? computeEach(ctx, `({ [${property}]: n8n.toXml($json, ${options}) })`)
    : computeEach(ctx, `n8n.xml(n8n.get($json, ${property}), ${options})`);
};

const rssFeedRead: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const { customFields } = toObject(parameters["options"]);
  const step = { type: "http", config: { url: "{{ item.url }}", response: "data", redirects: 5 } };
  const made = outsideSteps(
    ctx,
    {
      args: `{ url: n8n.text(${toCode(parameters["url"] ?? "")}) }`,
      step,
      flatten: flattenCode(ctx, "n8n.feed(one.body)"),
    },
    parameters,
  );
  const notes =
    customFields === undefined || customFields === ""
      ? []
      : ["custom fields of entries are omitted"];
  return { ...made, approximations: [...(made.approximations ?? []), ...notes] };
};

const graphql: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const {
    endpoint = "",
    query = "",
    variables,
    authentication = "none",
    requestMethod = "POST",
    headerParametersUi,
    responseFormat = "json",
    operationName,
  } = parameters;
  const isGet = requestMethod === "GET";
  const typed = takeKeys(
    ctx,
    toList(toObject(headerParametersUi)["parameter"]).map((one) => {
      const { name = "", value = "" } = toObject(one);
      return { name, value };
    }),
  );
  const pairs = typed.rest.map(
    ({ name, value }) => `[${toCode(name)}]: n8n.text(${toCode(value)})`,
  );
  const { requestFormat = ctx.node.version >= 1.1 ? "json" : "graphql" } = parameters;
  const text = `n8n.text(${toCode(query)})`;
  // For GET the query is a URL parameter. Older nodes send the query text as the body.
  const body = isGet
    ? `{ query: ${text} }`
    : requestFormat === "json"
      ? `{ query: ${text}, variables: n8n.json(${toCode(variables ?? "")} || "{}"), operationName: ${toCode(operationName ?? "")} || null }`
      : text;
  pairs.unshift(`"content-type": "application/${requestFormat === "json" ? "json" : "graphql"}"`);
  const headers = withKeys("headers", typed.keys);
  const request = isGet
    ? { method: "GET", headers, query: "{{ item.body }}" }
    : { method: "POST", headers, body: "{{ item.body }}" };
  const kind = ctx.node.credentials[0] ?? toText(authentication, "none");
  const step =
    authentication === "none"
      ? { type: "http", config: { url: "{{ item.url }}", ...request } }
      : {
          type: "connector",
          config: {
            connectorId: ctx.bind("connector", kind, `${ctx.node.name}: ${kind}`),
            action: "request",
            input: { url: "{{ item.url }}", ...request },
          },
        };
  return outsideSteps(
    ctx,
    {
      args: `{ url: n8n.text(${toCode(endpoint)}), headers: { ${pairs.join(", ")} }, body: ${body} }`,
      step,
      flatten: flattenCode(
        ctx,
        responseFormat === "string"
          ? `[{ ${toText(parameters["dataPropertyName"], "data")}: JSON.stringify(one.body) }]`
          : "n8n.toList(one.body)",
      ),
    },
    parameters,
  );
};

/** Date operations by their n8n names. The older node has other parameters for the same operations. */
const dateTime: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  if (version < 2) return oldDateTime(ctx);
  const { operation = "getCurrentDate", options } = parameters;
  const { includeInputFields } = toObject(options);
  const base = includeInputFields === true ? "$item" : "{}";
  const set = (usual: string, code: string) =>
    computeEach(
      ctx,
      `n8n.set(${base}, ${toCode(parameters["outputFieldName"] ?? usual)}, ${code})`,
    );
  const date = (name: string, other = name): string =>
    `n8n.date(${toCode(parameters[name] ?? parameters[other] ?? "")})`;
  const unit = toCode(parameters["timeUnit"] ?? "days");
  switch (operation) {
    case "getCurrentDate":
      return set(
        "currentDate",
        parameters["includeTime"] === false ? '$now.startOf("day").toISO()' : "$now.toISO()",
      );
    case "formatDate": {
      const format =
        parameters["format"] === "custom"
          ? parameters["customFormat"]
          : (parameters["format"] ?? "MM/dd/yyyy");
      return set("formattedDate", `${date("date")}.toFormat(${toCode(format ?? "")})`);
    }
    case "addToDate":
    case "subtractFromDate":
      return set(
        "newDate",
        `${date("magnitude")}.${operation === "addToDate" ? "plus" : "minus"}({ [${unit}]: Number(${toCode(parameters["duration"] ?? 0)}) }).toISO()`,
      );
    case "getTimeBetweenDates":
      return set(
        "timeDifference",
        `${date("endDate")}.diff(${date("startDate")}, ${toCode(parameters["units"] ?? ["day"])}).toObject()`,
      );
    case "extractDate": {
      const part = toText(parameters["part"], "month");
      return set(
        "datePart",
        `${date("date")}.${part === "week" ? "weekNumber" : part.replaceAll(/\W/g, "")}`,
      );
    }
    case "roundDate":
      return set(
        "roundedDate",
        `${date("date")}.${parameters["mode"] === "roundUp" ? "endOf" : "startOf"}(${toCode(parameters["to"] ?? parameters["toNearest"] ?? "month")}).toISO()`,
      );
    default:
      throw new NotConvertible(`uses the unsupported date operation ${toText(operation)}`);
  }
};

function oldDateTime(ctx: NodeContext) {
  const { parameters } = ctx.node;
  const {
    action = "format",
    value = "",
    dataPropertyName = "data",
    toFormat = "MM/DD/YYYY",
    operation = "add",
    duration = 0,
    timeUnit = "days",
    options,
  } = parameters;
  if (
    Object.keys(toObject(options)).some((name) => name !== "toTimezone" && name !== "fromTimezone")
  )
    throw new NotConvertible("parses a date in a custom format");
  const { toTimezone } = toObject(options) as { readonly toTimezone?: Json };
  const zone = toTimezone === undefined ? "" : `.setZone(${toCode(toTimezone)})`;
  const date = `n8n.date(${toCode(value)})${zone}`;
  const target = toCode(dataPropertyName);
  if (action === "calculate")
    return computeEach(
      ctx,
      `n8n.set($item, ${target}, ${date}.${operation === "subtract" ? "minus" : "plus"}({ [${toCode(timeUnit)}]: Number(${toCode(duration)}) }).toISO())`,
    );
  if (typeof toFormat === "string" && toFormat.startsWith("="))
    throw new NotConvertible("uses an expression for the date format");
  return computeEach(
    ctx,
    `n8n.set($item, ${target}, ${date}.toFormat(${JSON.stringify(momentFormat(toText(toFormat)))}))`,
  );
}

/** Converts Moment format tokens to Luxon tokens. */
function momentFormat(format: string): string {
  if (format === "X") return "X";
  return format
    .replaceAll("YYYY", "yyyy")
    .replaceAll("YY", "yy")
    .replaceAll("DD", "dd")
    .replaceAll(/(?<!d)D(?!d)/g, "d")
    .replaceAll("A", "a")
    .replaceAll("dddd", "EEEE");
}

/** Compares two lists by a key: items in one list only, equal items, different items. */
const compareDatasets: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  const { mergeByFields, options, preferWhenMix = "input1", exceptWhenMix = "" } = parameters;
  const { resolve = version >= 2.1 ? "includeBoth" : "preferInput2" } = parameters;
  const keys = toList(toObject(mergeByFields)["values"]).map((one) => {
    const { field1, field2 } = toObject(one);
    return [toText(field1), toText(field2)];
  });
  const { skipFields } = toObject(options) as JsonObject;
  if (
    keys.length === 0 ||
    keys.some((pair) => pair.some((one) => one === "" || one.startsWith("=")))
  )
    throw new NotConvertible("has no keys, or uses expressions for keys");
  const [left, right] = ctx.sources;
  if (!left || !right || ctx.sources.length !== 2)
    throw new NotConvertible("compares a number of inputs other than two");
  const from = (source: typeof left): string =>
    JSON.stringify([source[1] === 0 ? [source[0]] : source]);
  const names = version >= 2 ? ["inputA", "inputB"] : ["input1", "input2"];
  const about = `{ skip: n8n.list(${toCode(skipFields ?? "")}), resolve: ${JSON.stringify(resolve)}, names: ${JSON.stringify(names)}, prefer: ${JSON.stringify(preferWhenMix)}, except: n8n.list(${toCode(exceptWhenMix)}) }`;
  return {
    steps: [
      {
        id: ctx.id,
        type: "script",
        name: ctx.node.name.slice(0, 200),
        config: {
          source: `return n8n.compare(n8n.items(input, ${from(left)}), n8n.items(input, ${from(right)}), ${JSON.stringify(keys)}, ${about});`,
        },
      },
    ],
    approximations:
      toObject(options)["fuzzyCompare"] === true ? ["values of different types are different"] : [],
  };
};

export const textNodes: NodeTable = {
  html,
  htmlExtract: extract,
  markdown,
  xml,
  rssFeedRead,
  graphql,
  dateTime,
  compareDatasets,
};
