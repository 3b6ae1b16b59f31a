/** Wait nodes: for a duration, until a time, or for a request to an address of the run. */
import type { Node } from "../../definition/index.ts";
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  scriptStep,
} from "../conversion.ts";
import { type JsonObject, toObject, toText } from "../n8n-workflow.ts";
import { guardSteps } from "./guard-steps.ts";

const UNITS: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The steps of a wait for a request. After a timeout the items pass unchanged. */
export function requestSteps(
  ctx: NodeContext,
  {
    methods,
    timeoutMs,
    before = [],
    items,
  }: {
    readonly methods: readonly string[];
    readonly timeoutMs?: number | undefined;
    /** Steps that send the address. */
    readonly before?: readonly Node[];
    /** Code of the items from `call`, the request. */
    readonly items: string;
  },
): ConvertedNode {
  const { id, node } = ctx;
  const name = node.name.slice(0, 200);
  const guarded = guardSteps(ctx, [
    ...before,
    {
      id: `${id}_wait`,
      type: "wait_for_call",
      name,
      config: { methods: [...methods], ...(timeoutMs !== undefined && { timeoutMs }) },
    },
  ]);
  const pass = scriptStep(
    ctx,
    id,
    `const call = input.steps.${id}_wait?.output;\nreturn call ? ${items} : input.steps.${id}_items.output;`,
  );
  return {
    steps: [...guarded.steps, pass],
    edges: [
      ...(guarded.edges ?? []),
      { from: `${id}_wait`, to: id },
      ...(timeoutMs === undefined ? [] : [{ from: `${id}_wait`, to: id, when: "timeout" }]),
      { from: `${id}_if`, to: id, when: "false" },
    ],
  };
}

/** The maximum wait of a node. */
export function limitOf(parameters: JsonObject): number | undefined {
  const options = toObject(toObject(toObject(parameters["options"])["limitWaitTime"])["values"]);
  const isLimited = parameters["limitWaitTime"] === true || Object.keys(options).length > 0;
  if (!isLimited) return undefined;
  const {
    limitType = "afterTimeInterval",
    resumeAmount = 1,
    resumeUnit = "hours",
  } = {
    ...parameters,
    ...options,
  };
  if (limitType !== "afterTimeInterval" || typeof resumeAmount !== "number")
    throw new NotConvertible("uses an expression for the time to wait until");
  const unit = toText(resumeUnit, "hours");
  return Math.max(
    1,
    Math.round(resumeAmount * (Object.hasOwn(UNITS, unit) ? (UNITS[unit] ?? 1_000) : 1_000)),
  );
}

/** Waits for a request to the address in `$execution.resumeUrl`. */
const waitForRequest: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const {
    httpMethod = "GET",
    responseMode = "onReceived",
    incomingAuthentication = "none",
  } = parameters;
  const method = toText(httpMethod);
  if (!METHODS.includes(method)) throw new NotConvertible("uses an expression for the HTTP method");
  if (incomingAuthentication !== "none") throw new NotConvertible("requires callers to sign in");
  const made = requestSteps(ctx, {
    methods: [method],
    timeoutMs: limitOf(parameters),
    items: "[{ headers: call.headers, params: {}, query: call.query, body: call.body }]",
  });
  return {
    ...made,
    approximations: [
      "the URL belongs to the first node that waits for a request",
      ...(responseMode === "onReceived" ? [] : ["the caller gets an immediate response"]),
    ],
  };
};

const waitUntil: Convert = (ctx) => {
  const { id, node } = ctx;
  const { dateTime = "" } = node.parameters;
  assertSupported(dateTime);
  const name = node.name.slice(0, 200);
  const ms = `Math.max(0, Math.round(n8n.date(${toCode(dateTime)}).toMillis() - Date.now()))`;
  const guarded = guardSteps(ctx, [
    eachScript(ctx, `${id}_ms`, ms, dateTime),
    { id: `${id}_wait`, type: "delay", name, config: { ms: `{{ steps.${id}_ms.output[0] }}` } },
  ]);
  return {
    steps: [...guarded.steps, scriptStep(ctx, id, `return input.steps.${id}_items.output;`)],
    edges: [
      ...(guarded.edges ?? []),
      { from: `${id}_wait`, to: id },
      { from: `${id}_if`, to: id, when: "false" },
    ],
    approximations: findApproximations(ctx, dateTime),
  };
};

export const wait: Convert = (ctx) => {
  const { parameters, id, node } = { ...ctx, parameters: ctx.node.parameters };
  const {
    resume = "timeInterval",
    amount = node.version < 1.1 ? 1 : 5,
    unit = node.version < 1.1 ? "hours" : "seconds",
  } = parameters;
  if (resume === "webhook") return waitForRequest(ctx);
  if (resume === "specificTime") return waitUntil(ctx);
  if (resume !== "timeInterval") throw new NotConvertible(`waits for ${toText(resume)}`);
  const named = toText(unit, "seconds");
  const ms = Object.hasOwn(UNITS, named) ? (UNITS[named] ?? 1_000) : 1_000;
  const byCode = typeof amount !== "number";
  assertSupported(amount);
  const name = node.name.slice(0, 200);
  const guarded = guardSteps(ctx, [
    ...(byCode
      ? [eachScript(ctx, `${id}_ms`, `Math.round(Number(${toCode(amount)}) * ${ms})`, amount)]
      : []),
    {
      id: `${id}_wait`,
      type: "delay",
      name,
      config: { ms: byCode ? `{{ steps.${id}_ms.output[0] }}` : Math.round(amount * ms) },
    },
  ]);
  const pass: Node = {
    id,
    type: "transform",
    name,
    config: { expression: `steps.${id}_items.output` },
  };
  return {
    steps: [...guarded.steps, pass],
    edges: [
      ...(guarded.edges ?? []),
      { from: `${id}_wait`, to: id },
      { from: `${id}_if`, to: id, when: "false" },
    ],
    approximations: findApproximations(ctx, parameters),
  };
};
