/** n8n compute nodes: each becomes one script over the items. */
import type { Node } from "../../definition/index.ts";
import { assertReadable, toCode } from "../code-text.ts";
import {
  findApproximations,
  assertSupported,
  type Convert,
  eachScript,
  firstItemScript,
  listScript,
  type NodeContext,
  NotConvertible,
  optionsCode,
  scriptStep,
  withReturn,
} from "../conversion.ts";
import { type Json, toList, toObject, toText } from "../n8n-workflow.ts";
import { forgetSeen, keepStaticData, readStaticData, removeSeen } from "./kept-data.ts";

/** Asks for an empty field. n8n requires it, too. */
function askField({ node: { name }, bind }: NodeContext): string {
  const asked = bind("text", `field ${name}`, `${name}: the field to use`);
  if (asked === "") throw new NotConvertible("has no field");
  return asked;
}

/** Passes items unchanged. */
export const passItems: Convert = (ctx) => ({ steps: [listScript(ctx, ctx.id, "return list;")] });

/** The fields written by a `set` node, for all node versions. */
function fieldsOfSet({ node }: NodeContext): (readonly [name: Json, value: Json, type: string])[] {
  const { parameters, version } = node;
  if (version >= 3.3) {
    return toList(toObject(parameters["assignments"])["assignments"]).map((one) => {
      const { name, value, type } = toObject(one);
      return [name, value, toText(type, "string")] as const;
    });
  }
  if (version >= 3) {
    return toList(toObject(parameters["fields"])["values"]).map((one) => {
      const { name, type, ...values } = toObject(one);
      const kind = toText(type, "stringValue");
      return [name, values[kind] ?? "", kind.replace("Value", "")] as const;
    });
  }
  const values = toObject(parameters["values"]);
  return ["boolean", "number", "string"].flatMap((type) =>
    toList(values[type]).map((one) => {
      const { name, value } = toObject(one);
      return [name, value ?? "", type] as const;
    }),
  );
}

const set: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const { dotNotation, ignoreConversionErrors } = toObject(parameters["options"]);
  const about = [
    `version: ${version}`,
    ...(ignoreConversionErrors === true ? ["ignore: true"] : []),
    ...(dotNotation === false ? ["dots: false"] : []),
  ].join(", ");
  const base = baseOfSet(ctx);
  const code =
    parameters["mode"] === "raw"
      ? `n8n.assign(${base}, Object.entries(n8n.json(${toCode(parameters["jsonOutput"] ?? "{}")})), { ${about} })`
      : `n8n.assign(${base}, [${fieldsOfSet(ctx)
          .map(
            ([name, value, type]) =>
              `[${toCode(name)}, ${valueOfSet(value, type, version)}, ${JSON.stringify(type)}]`,
          )
          .join(", ")}], { ${about} })`;
  return {
    steps: [eachScript(ctx, ctx.id, code, parameters)],
    approximations: findApproximations(ctx, parameters),
  };
};

/** Code of the input fields that an item keeps. */
function baseOfSet({ node: { parameters, version } }: NodeContext): string {
  const include =
    version >= 3.3
      ? parameters["includeOtherFields"] === true
        ? toText(parameters["include"], "all")
        : "none"
      : version >= 3
        ? toText(parameters["include"], "all")
        : parameters["keepOnlySet"] === true
          ? "none"
          : "all";
  const names = (name: string): string => `n8n.list(${toCode(parameters[name] ?? "")})`;
  if (include === "selected") return `n8n.pick($item, ${names("includeFields")})`;
  if (include === "except") return `n8n.omit($item, ${names("excludeFields")})`;
  return include === "none" ? "{}" : "$item";
}

/** Code of a value. Older nodes convert it less than nodes with typed fields. */
function valueOfSet(value: Json, type: string, version: number): string {
  const code = toCode(value);
  if (version >= 3 || type === "string") return code;
  if (type === "boolean") return `Boolean(${code})`;
  return version >= 2
    ? `((one) => typeof one === "string" && !Number.isNaN(Number(one)) ? Number(one) : one)(${code})`
    : code;
}

const code: Convert = (ctx) => {
  const { parameters, type } = ctx.node;
  const written = toText(parameters["jsCode"] ?? parameters["functionCode"]);
  const { source, stateKey } = readStaticData(ctx, written);
  if (parameters["language"] !== undefined && parameters["language"] !== "javaScript") {
    throw new NotConvertible("needs Python");
  }
  if (source === "") throw new NotConvertible("has no code");
  assertSupported(source);
  assertReadable(source);
  const isEach = parameters["mode"] === "runOnceForEachItem" || type === "functionItem";
  const names =
    "$json, $binary, $input, $, $node, $items, items, $now, $today, $jmespath, $execution, $workflow, $itemIndex, $runIndex, $prevNode, $if, $ifEmpty, $max, $min";
  const options = optionsCode(ctx, source);
  const own = undeclaredNames(source)
    .filter((name) => !(isEach && name === "item") && !names.split(", ").includes(name))
    .map((name) => `, ${name}`)
    .join("");
  // Files and helpers with outside effects need platform calls.
  const reads = /\bbinary\b|\bhelpers\b|\brequire\b/i.test(source);
  const call = reads ? ".call({ helpers: $helpers })" : "()";
  const begin = reads ? "(async function () {" : "(async () => {";
  const end = (result: string): string =>
    reads ? `await n8n.keepFiles(context, ${result})` : result;
  const help = (items: string): string =>
    reads ? `const $helpers = await n8n.helpers(context, ${items}), require = n8n.require;\n` : "";
  const work = isEach
    ? `const $results = [];
for (const $view of n8n.each(input, ${options}, (view) => view)) {
  let { ${names}${own} } = $view;
  let item = ${type === "functionItem" ? "$json" : "$input.item"};
  ${help("items")}$results.push(await ${begin}
${source}
  })${call});
}`
    : `let { ${names}${own} } = n8n(input, ${options});
${help("items")}const $result = items.length === 0 ? [] : await ${begin}
${source}
})${call};`;
  const value = isEach
    ? end("n8n.toList($results.filter((one) => one !== undefined && one !== null))")
    : end("n8n.toList($result)");
  const approximations = findApproximations(ctx, source);
  if (stateKey !== undefined) return keepStaticData(ctx, { work, value, stateKey, approximations });
  return { steps: [scriptStep(ctx, ctx.id, `${work}\nreturn ${value};`)], approximations };
};

/** Names defined by the language or by scripts. */
const KNOWN_NAMES = new Set(
  "arguments async await break case catch class const context continue debugger default delete do else enum eval export extends false finally for function if implements import in input instanceof interface let n8n new null of package private protected public return static super switch this throw true try typeof undefined var void while with yield DateTime Duration Interval luxon jmespath lists text".split(
    " ",
  ),
);

/** Names that code assigns without declaring them. n8n code can do this, but strict-mode scripts cannot. */
function undeclaredNames(source: string): string[] {
  const name = String.raw`([A-Za-z_$][\w$]*)`;
  const given = [
    ...source.matchAll(
      new RegExp(String.raw`(?:^|[;{}]|\belse\b)\s*${name}\s*[-+*/%]?=(?![=>])`, "gm"),
    ),
    ...source.matchAll(new RegExp(String.raw`\bfor\s*\(\s*${name}\s*(?:=|of\b|in\b)`, "g")),
  ];
  return [...new Set(given.map(([, one = ""]) => one))].filter(
    (one) => !KNOWN_NAMES.has(one) && !(one in globalThis) && !isDeclared(source, one),
  );
}

function isDeclared(source: string, name: string): boolean {
  const escaped = name.replaceAll("$", String.raw`\$`);
  return new RegExp(String.raw`\b(?:let|const|var|function|class)\s+${escaped}(?![\w$])`).test(
    source,
  );
}

const splitOut: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const { fieldToSplitOut = "", include = "noOtherFields", fieldsToInclude, options } = parameters;
  const { destinationFieldName } = toObject(options);
  const split = toText(fieldToSplitOut) === "" ? askField(ctx) : fieldToSplitOut;
  const about = [
    `fields: n8n.list(${toCode(split)})`,
    `include: ${toCode(include)}`,
    ...(include === "selectedOtherFields"
      ? [`others: n8n.list(${toCode(fieldsToInclude ?? "")})`]
      : []),
    ...(toText(destinationFieldName) === ""
      ? []
      : [`names: n8n.list(${toCode(destinationFieldName)})`]),
  ];
  const made = eachScript(ctx, ctx.id, `n8n.splitOut($json, { ${about.join(", ")} })`, parameters);
  return { steps: [flatScript(made)], approximations: findApproximations(ctx, parameters) };
};

/** The script with its output lists merged into one. */
function flatScript(step: Node): Node {
  return withReturn(step, (value) => `return (${value}).flat();`);
}

const aggregate: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  if (parameters["aggregate"] === "aggregateAllItemData") {
    const name = JSON.stringify(toText(parameters["destinationFieldName"], "data"));
    const { include = "allFields", fieldsToInclude, fieldsToExclude } = parameters;
    const named = toText(include === "specifiedFields" ? fieldsToInclude : fieldsToExclude);
    const fields = `n8n.list(${toCode(named)})`;
    const member =
      include === "allFields"
        ? "({ $binary, ...json }) => json"
        : `(one) => Object.fromEntries(Object.entries(one).filter(([name]) => name !== "$binary" && fields.includes(name) === ${include === "specifiedFields"}))`;
    const code = `const fields = ${fields};
return list.length === 0 ? [] : [{ [${name}]: list.map(${member}) }];`;
    return { steps: [firstItemScript(ctx, { id: ctx.id, code, text: named })] };
  }
  const fields = toList(toObject(parameters["fieldsToAggregate"])["fieldToAggregate"]).map(
    toObject,
  );
  const { mergeLists, keepMissing } = toObject(parameters["options"]);
  const members = fields.map(({ fieldToAggregate, renameField, outputFieldName }) => {
    const from = toText(fieldToAggregate) || askField(ctx);
    const path = `n8n.text(${toCode(from)})`;
    const name =
      renameField === true
        ? `[n8n.text(${toCode(outputFieldName ?? from)})]`
        : `[${path}.split(".").at(-1)]`;
    const values = `list.map((one) => n8n.get(one, ${path}))`;
    const kept =
      keepMissing === true
        ? `${values}.map((one) => one ?? null)`
        : `${values}.flatMap((one) => one === undefined || one === null ? [] : [Array.isArray(one) ? one.filter((each) => each !== null) : one])`;
    return `${name}: ${kept}${mergeLists === true ? ".flat()" : ""}`;
  });
  const code = `return list.length === 0 ? [] : [{ ${members.join(", ")} }];`;
  return { steps: [firstItemScript(ctx, { id: ctx.id, code, text: parameters })] };
};

const limit: Convert = (ctx) => {
  const { maxItems = 1, keep } = ctx.node.parameters;
  if (typeof maxItems !== "number") {
    const kept = eachScript(
      ctx,
      ctx.id,
      `({ item: $item, most: Number(${toCode(maxItems)}) })`,
      maxItems,
    );
    const range = keep === "lastItems" ? "-(all[0]?.most ?? 0)" : "0, all[0]?.most ?? 0";
    const cut = withReturn(
      kept,
      (value) => `const all = ${value};\nreturn all.slice(${range}).map(({ item }) => item);`,
    );
    return { steps: [cut] };
  }
  return {
    steps: [
      listScript(
        ctx,
        ctx.id,
        `return list.slice(${keep === "lastItems" ? `-${maxItems}` : `0, ${maxItems}`});`,
      ),
    ],
  };
};

const sort: Convert = (ctx) => {
  const { parameters } = ctx.node;
  if (parameters["type"] === "random") {
    return { steps: [listScript(ctx, ctx.id, "return list.toSorted(() => Math.random() - 0.5);")] };
  }
  const fields = toList(toObject(parameters["sortFieldsUi"])["sortField"]).map(toObject);
  if (fields.length === 0) throw new NotConvertible("sorts with code");
  const keys = fields.map(({ fieldName, order }) => [
    toText(fieldName),
    order === "descending" ? -1 : 1,
  ]);
  return {
    steps: [
      listScript(
        ctx,
        ctx.id,
        `const keys = ${JSON.stringify(keys)};
return list.toSorted((one, other) => {
  for (const [key, sign] of keys) {
    const [a, b] = [n8n.get(one, key), n8n.get(other, key)];
    if (a < b) return -sign;
    if (a > b) return sign;
  }
  return 0;
});`,
      ),
    ],
  };
};

const removeDuplicates: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { operation = "removeDuplicateInputItems" } = parameters;
  if (operation === "removeItemsSeenInPreviousExecutions") return removeSeen(ctx);
  if (operation === "clearDeduplicationHistory") return forgetSeen(ctx);
  const compare = toText(parameters["compare"], "allFields");
  const given = toText(parameters["fieldsToCompare"] ?? parameters["fieldsToExclude"]);
  const named = compare !== "allFields" && given === "" ? askField(ctx) : given;
  const key =
    compare === "selectedFields"
      ? "JSON.stringify(fields.map((name) => n8n.get(one, name)))"
      : compare === "allFieldsExcept"
        ? "JSON.stringify(fields.reduce((rest, name) => n8n.unset(rest, name), one))"
        : "JSON.stringify(one)";
  const code = `const seen = new Set(), fields = n8n.list(${toCode(named)});
return list.filter((one) => {
  const key = ${key};
  return seen.has(key) ? false : seen.add(key);
});`;
  return { steps: [firstItemScript(ctx, { id: ctx.id, code, text: named })] };
};

const renameKeys: Convert = (ctx) => {
  const keys = toList(toObject(ctx.node.parameters["keys"])["key"]).map((one) => {
    const { currentKey, newKey } = toObject(one);
    return [toText(currentKey), toText(newKey)];
  });
  return {
    steps: [
      listScript(
        ctx,
        ctx.id,
        `return list.map((one) => ${JSON.stringify(keys)}.reduce((made, [from, to]) => {
  const value = n8n.get(made, from);
  return value === undefined ? made : n8n.set(n8n.unset(made, from), to, value);
}, one));`,
      ),
    ],
  };
};

const itemLists: Convert = (ctx) => {
  const { operation = "splitOutItems" } = ctx.node.parameters;
  if (operation === "splitOutItems") return splitOut(ctx);
  if (operation === "aggregateItems" || operation === "concatenateItems") return aggregate(ctx);
  if (operation === "limit") return limit(ctx);
  if (operation === "sort") return sort(ctx);
  if (operation === "removeDuplicates") return removeDuplicates(ctx);
  throw new NotConvertible(`uses the unsupported operation ${JSON.stringify(operation)}`);
};

const crypto: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const { action = "hash", type = "MD5", value = "", secret = "", encoding = "hex" } = parameters;
  const algorithm = JSON.stringify(toText(type, "MD5").toLowerCase());
  const name = JSON.stringify(toText(parameters["dataPropertyName"], "data"));
  if (parameters["binaryData"] === true) throw new NotConvertible("requires files or models");
  const made =
    action === "hash"
      ? `crypto.hash(${algorithm}, ${toCode(value)}, ${toCode(encoding)})`
      : action === "hmac"
        ? `crypto.hmac(${algorithm}, ${toCode(secret)}, ${toCode(value)}, ${toCode(encoding)})`
        : action === "generate" && (parameters["encodingType"] ?? "uuid") === "uuid"
          ? "crypto.randomUUID()"
          : action === "generate"
            ? `n8n.randomText(${toCode(parameters["encodingType"])}, Number(${toCode(parameters["stringLength"] ?? 32)}))`
            : undefined;
  if (made === undefined) throw new NotConvertible("signs with a key");
  return { steps: [eachScript(ctx, ctx.id, `n8n.set($json, ${name}, ${made})`, parameters)] };
};

/** Converters of compute nodes by type. */
export const itemNodes: Readonly<Record<string, Convert>> = {
  set,
  code,
  function: code,
  functionItem: code,
  aiTransform: code,
  // It adds search data to an execution in n8n. Runs here are found by inputs and outputs.
  executionData: passItems,
  noOp: passItems,
  splitOut,
  itemLists,
  aggregate,
  limit,
  sort,
  removeDuplicates,
  renameKeys,
  crypto,
};
