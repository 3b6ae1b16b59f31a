/** n8n control nodes: branches, waits, responses and errors. */
import type { Node } from "../../definition/index.ts";
import { toCode, viewNames } from "../code-text.ts";
import { guardSteps } from "./guard-steps.ts";
import { mergeNode } from "./merge-node.ts";
import { waitForFormNode } from "./form-node.ts";
import { wait } from "./wait-node.ts";
import {
  findApproximations,
  assertSupported,
  type Convert,
  eachScript,
  listScript,
  type NodeContext,
  NotConvertible,
  optionsCode,
  scriptStep,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";

/** An n8n condition as boolean code. */
function conditionCode(conditions: JsonObject, isOld: boolean, combine: Json): string {
  if (isOld) {
    const all = ["boolean", "dateTime", "number", "string"].flatMap((type) =>
      toList(conditions[type]).map((one) => {
        const usual = type === "boolean" ? false : type === "number" ? 0 : "";
        const { value1 = usual, operation, value2 = usual } = toObject(one);
        const name = toText(operation, OPERATIONS[type] ?? "equal");
        return `n8n.compareOld(${toCode(value1)}, ${JSON.stringify(name)}, ${toCode(value2)}, ${JSON.stringify(type)})`;
      }),
    );
    return combine === "any" && all.length === 0
      ? "false"
      : joinCode(all, combine === "any" ? "||" : "&&");
  }
  const { conditions: list, combinator, options } = conditions;
  const { caseSensitive = true, typeValidation, version } = toObject(options);
  const all = toList(list).map((one) => {
    const { leftValue = "", rightValue = "", operator } = toObject(one);
    const { operation, type, name } = toObject(operator);
    if (name !== undefined && operation === undefined)
      throw new NotConvertible("has an operator that is not known");
    const about = {
      type: toText(type),
      ...(caseSensitive === false && { caseSensitive: false }),
      ...(typeValidation === "strict" && { strict: true }),
      ...(typeof version === "number" && { version }),
    };
    return `n8n.holds(${toCode(leftValue)}, ${JSON.stringify(toText(operation, "equals"))}, ${toCode(rightValue)}, ${JSON.stringify(about)})`;
  });
  return joinCode(all, combinator === "or" ? "||" : "&&");
}

/** The default comparison of older nodes by type. */
const OPERATIONS: Readonly<Record<string, string>> = {
  boolean: "equal",
  number: "smaller",
  dateTime: "after",
  string: "equal",
};

function joinCode(all: readonly string[], by: string): string {
  return all.length === 0 ? "true" : all.join(` ${by} `);
}

const OUTPUTS_MAX = 50;

/** A script that returns `{ o0, o1, … }`. `choose` is code of the output number of an item. */
function partition(ctx: NodeContext, outputs: number, choose: string, text: Json): Node {
  if (!(outputs <= OUTPUTS_MAX)) throw new NotConvertible(`has more than ${OUTPUTS_MAX} outputs`);
  const view = viewNames(choose);
  const names = [...new Set([...view, "$item"])].join(", ");
  const lists = Array.from({ length: outputs }, (_, at) => `o${at}: []`).join(", ");
  return scriptStep(
    ctx,
    ctx.id,
    `const outputs = { ${lists} };
n8n.each(input, ${optionsCode(ctx, text)}, ({ ${names} }) => {
  const to = ${choose};
  for (const at of [to].flat()) outputs["o" + at]?.push($item);
});
return outputs;`,
  );
}

const ifNode: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const test = conditionCode(
    toObject(parameters["conditions"]),
    version < 2,
    parameters["combineOperation"],
  );
  return {
    steps: [partition(ctx, 2, `(${test}) ? 0 : 1`, parameters)],
    approximations: findApproximations(ctx, parameters),
  };
};

const filter: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const test = conditionCode(
    toObject(parameters["conditions"]),
    version < 2,
    parameters["combineConditions"] === "OR" ? "any" : "all",
  );
  const kept = eachScript(ctx, ctx.id, `(${test}) ? [$item] : []`, parameters);
  const { source } = kept.config as { readonly source: string };
  return {
    steps: [
      { ...kept, config: { source: source.replace(/^return ([\s\S]*);$/, "return ($1).flat();") } },
    ],
    approximations: findApproximations(ctx, parameters),
  };
};

const switchNode: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  assertSupported(parameters);
  const rules = toObject(parameters["rules"]);
  if (parameters["mode"] === "expression") {
    const outputs = Number(parameters["numberOutputs"] ?? parameters["outputsAmount"] ?? 4);
    return {
      steps: [
        partition(
          ctx,
          Math.min(outputs, OUTPUTS_MAX),
          toCode(parameters["output"] ?? 0),
          parameters,
        ),
      ],
      approximations: findApproximations(ctx, parameters),
    };
  }
  const options = toObject(parameters["options"]);
  const list = toList(rules["values"] ?? rules["rules"]).map(toObject);
  if (list.length === 0) throw new NotConvertible("has no rules");
  if (list.length > OUTPUTS_MAX) throw new NotConvertible(`has more than ${OUTPUTS_MAX} rules`);
  const fallback = version >= 3 ? options["fallbackOutput"] : parameters["fallbackOutput"];
  const tests = list.map((rule, at) => {
    if (version >= 3)
      return [conditionCode(toObject(rule["conditions"]), false, "and"), at] as const;
    const type = toText(parameters["dataType"], "number");
    const {
      operation = type === "number" ? "smaller" : "equal",
      value2 = type === "number" ? 0 : "",
      output,
      outputKey,
    } = rule;
    const value1 = toCode(parameters["value1"] ?? "");
    const test = `n8n.compareOld(${value1}, ${JSON.stringify(operation)}, ${toCode(value2)}, ${JSON.stringify(type)})`;
    return [test, version >= 2 && outputKey !== undefined ? at : Number(output ?? 0)] as const;
  });
  const other =
    fallback === "extra"
      ? list.length
      : typeof fallback === "number" && fallback >= 0
        ? fallback
        : undefined;
  const outputs = Math.max(...tests.map(([, at]) => at), other ?? 0) + 1;
  const choose =
    options["allMatchingOutputs"] === true
      ? `[${tests.map(([test, at]) => `...(${test} ? [${at}] : [])`).join(", ")}]`
      : `${tests.map(([test, at]) => `(${test}) ? ${at} : `).join("")}${other ?? "[]"}`;
  return {
    steps: [partition(ctx, outputs, choose, parameters)],
    approximations: findApproximations(ctx, parameters),
  };
};

const respondToWebhook: Convert = (ctx) => {
  const { parameters, id, node } = { ...ctx, parameters: ctx.node.parameters };
  assertSupported(parameters);
  const respondWith = toText(parameters["respondWith"], "firstIncomingItem");
  const options = toObject(parameters["options"]);
  const bodies: Readonly<Record<string, string>> = {
    firstIncomingItem: "$json",
    allIncomingItems: "items.map((item) => item.json)",
    json: `((made) => typeof made === "string" ? JSON.parse(made) : made)(${toCode(parameters["responseBody"] ?? {})})`,
    text: toCode(parameters["responseBody"] ?? ""),
    noData: "null",
    redirect: "null",
    binary: "null",
  };
  const body = Object.hasOwn(bodies, respondWith) ? bodies[respondWith] : undefined;
  if (body === undefined) throw new NotConvertible(`responds with ${respondWith}`);
  const isFile = respondWith === "binary";
  const file = isFile
    ? `, file: n8n.file($item, ${toCode(parameters["inputFieldName"] ?? "data")})`
    : "";
  const headers = toList(toObject(options["responseHeaders"])["entries"]).map(toObject);
  const codes = headers.map(({ name, value }) => `[${toCode(name)}]: n8n.text(${toCode(value)})`);
  const location =
    respondWith === "redirect"
      ? [`location: n8n.text(${toCode(parameters["redirectURL"] ?? "")})`]
      : [];
  const status = toCode(options["responseCode"] ?? (respondWith === "redirect" ? 302 : 200));
  const answer = `({ status: Number(${status}), headers: { ${[...codes, ...location].join(", ")} }, body: ${body}${file} })`;
  return {
    ...guardSteps(ctx, [
      eachScript(ctx, `${id}_args`, answer, parameters),
      {
        id,
        type: "respond",
        name: node.name.slice(0, 200),
        config: {
          status: `{{ steps.${id}_args.output[0].status }}`,
          headers: `{{ steps.${id}_args.output[0].headers }}`,
          ...(isFile
            ? { file: `{{ steps.${id}_args.output[0].file }}` }
            : { body: `{{ steps.${id}_args.output[0].body }}` }),
        },
      },
    ]),
    approximations: findApproximations(ctx, parameters),
  };
};

const stopAndError: Convert = (ctx) => {
  const { parameters, id, node } = { ...ctx, parameters: ctx.node.parameters };
  assertSupported(parameters);
  const message =
    parameters["errorMessage"] ?? parameters["errorObject"] ?? "The workflow was stopped.";
  return {
    ...guardSteps(ctx, [
      eachScript(ctx, `${id}_message`, `n8n.text(${toCode(message)})`, parameters),
      {
        id,
        type: "fail",
        name: node.name.slice(0, 200),
        config: { message: `{{ steps.${id}_message.output[0] }}` },
      },
    ]),
    approximations: findApproximations(ctx, parameters),
  };
};

const executeWorkflow: Convert = (ctx) => {
  const { parameters, id, node } = { ...ctx, parameters: ctx.node.parameters };
  assertSupported(parameters);
  const { workflowId, source = "database", mode = "once", workflowInputs } = parameters;
  if (source !== "database") throw new NotConvertible("contains the other workflow");
  const known = toObject(workflowId);
  const written = toText(known["value"], toText(workflowId));
  const isOwn = /^=\{\{\s*\$workflow\.id\s*\}\}$/.test(written);
  // An expression without braces is text.
  const key = written.startsWith("=") && !written.includes("{{") ? written.slice(1) : written;
  if (key.startsWith("=") && !isOwn)
    throw new NotConvertible("uses an expression for the workflow");
  const title = toText(known["cachedResultName"], key);
  const waits = toObject(parameters["options"])["waitForSubWorkflow"] !== false;
  const fields = toObject(toObject(workflowInputs)["value"]);
  const args =
    Object.keys(fields).length > 0
      ? eachScript(ctx, `${id}_args`, toCode(fields), parameters)
      : listScript(ctx, `${id}_args`, "return list;");
  const config = {
    workflowId: isOwn ? "{{ run.workflowId }}" : ctx.bind("workflow", key, title),
    ...(!waits && { wait: false }),
  };
  const call: Node =
    mode === "each"
      ? {
          id: `${id}_call`,
          type: "subworkflow",
          config: { ...config, input: ["{{ item }}"] },
          forEach: { items: `{{ steps.${id}_args.output }}` },
        }
      : {
          id: `${id}_call`,
          type: "subworkflow",
          config: { ...config, input: `{{ steps.${id}_args.output }}` },
        };
  const result = `return n8n.toList(input.steps.${id}_call.output${mode === "each" ? ".flat()" : ""});`;
  return {
    steps: [
      args,
      call,
      { id, type: "script", name: node.name.slice(0, 200), config: { source: result } },
    ],
    approximations: findApproximations(ctx, parameters),
  };
};

/** Converters of control nodes by type. */
export const flowNodes: Readonly<Record<string, Convert>> = {
  if: ifNode,
  filter,
  switch: switchNode,
  merge: mergeNode,
  wait: (ctx) => (ctx.node.parameters["resume"] === "form" ? waitForFormNode(ctx) : wait(ctx)),
  respondToWebhook,
  stopAndError,
  executeWorkflow,
};
