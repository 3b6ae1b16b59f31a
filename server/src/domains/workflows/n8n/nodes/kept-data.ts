/** Data that n8n nodes keep between runs: a `state` step before and after the node. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  listScript,
  type NodeContext,
  NotConvertible,
  scriptStep,
} from "../conversion.ts";
import { type Json, toObject, toText } from "../n8n-workflow.ts";

/** Code that reads static workflow data, and its key. */
export function readStaticData(
  { id }: NodeContext,
  written: string,
): { readonly source: string; readonly stateKey?: string } {
  const calls = [...written.matchAll(/getWorkflowStaticData\s*\(\s*(["'`]?)(\w*)\1\s*\)/g)];
  const kinds = new Set(calls.map(([, , kind = ""]) => kind));
  if (!written.includes("getWorkflowStaticData")) return { source: written };
  const [kind] = kinds;
  if (kinds.size !== 1 || (kind !== "global" && kind !== "node"))
    throw new NotConvertible(
      "stores data of both the node and the workflow, or uses an expression for it",
    );
  const source = written.replaceAll(/(?:this\.|\$)?getWorkflowStaticData\s*\([^)]*\)/g, "$kept");
  return { source, stateKey: kind === "global" ? "n8n.global" : `n8n.node.${id}` };
}

/** The steps of a code node with static data: read the data, run the code, write the data. */
export function keepStaticData(
  ctx: NodeContext,
  {
    work,
    value,
    stateKey,
    approximations,
  }: {
    readonly work: string;
    readonly value: string;
    readonly stateKey: string;
    readonly approximations: readonly string[];
  },
): ConvertedNode {
  const { id, node } = ctx;
  const name = node.name.slice(0, 200);
  const code = scriptStep(
    ctx,
    `${id}_code`,
    `const $kept = JSON.parse(JSON.stringify(input.steps.${id}_kept.output.value ?? {}));
${work}
return { items: ${value}, kept: $kept };`,
  );
  return {
    steps: [
      { id: `${id}_kept`, type: "state", name, config: { action: "get", key: stateKey } },
      code,
      {
        id: `${id}_keep`,
        type: "state",
        name,
        config: { action: "set", key: stateKey, value: `{{ steps.${id}_code.output.kept }}` },
      },
      scriptStep(ctx, id, `return input.steps.${id}_code.output.items;`),
    ],
    approximations: [
      ...approximations,
      "static data is saved when the step ends, also in manual runs",
    ],
  };
}

/** The key of the item values of earlier runs. */
function seenKey({ id, node }: NodeContext): string {
  const { scope = "node" } = toObject(node.parameters["options"]);
  return scope === "workflow" ? "n8n.seen" : `n8n.seen.${id}`;
}

const SEEN_MAX = 10_000;

/** Items seen in an earlier run go to the second output. Values are stored as hashes, as in n8n. */
export const removeSeen: Convert = (ctx) => {
  const { node, id } = ctx;
  const { parameters } = node;
  assertSupported(parameters);
  const {
    logic = "removeItemsWithAlreadySeenKeyValues",
    dedupeValue = "",
    incrementalDedupeValue = "",
    dateDedupeValue = "",
  } = parameters;
  const { historySize = SEEN_MAX } = toObject(parameters["options"]);
  const name = node.name.slice(0, 200);
  const most = Math.min(Number(historySize) || SEEN_MAX, SEEN_MAX);
  const plans: Readonly<Record<string, readonly [value: Json, code: string]>> = {
    removeItemsWithAlreadySeenKeyValues: [
      dedupeValue,
      `const seen = new Set(known?.seen ?? []);
const rows = all.map(({ item, key }) => ({ item, key: crypto.hash("md5", n8n.text(key), "hex").slice(0, 16) }));
return { o0: rows.filter(({ key }) => !seen.has(key)).map(({ item }) => item), o1: rows.filter(({ key }) => seen.has(key)).map(({ item }) => item), kept: { seen: [...new Set([...seen, ...rows.map(({ key }) => key)])].slice(-${most}) } };`,
    ],
    removeItemsUpToStoredIncrementalKey: [
      incrementalDedupeValue,
      `const isNew = ({ key }) => known === null || Number(key) > known.last;
return { o0: all.filter(isNew).map(({ item }) => item), o1: all.filter((one) => !isNew(one)).map(({ item }) => item), kept: all.reduce((most, { key }) => ({ last: Math.max(most?.last ?? -Infinity, Number(key)) }), known) };`,
    ],
    removeItemsUpToStoredDate: [
      dateDedupeValue,
      `const isNew = ({ key }) => known === null || n8n.date(key).toMillis() > known.last;
return { o0: all.filter(isNew).map(({ item }) => item), o1: all.filter((one) => !isNew(one)).map(({ item }) => item), kept: all.reduce((most, { key }) => ({ last: Math.max(most?.last ?? 0, n8n.date(key).toMillis()) }), known) };`,
    ],
  };
  const plan = Object.hasOwn(plans, toText(logic)) ? plans[toText(logic)] : undefined;
  if (!plan) throw new NotConvertible(`removes items by ${JSON.stringify(logic)}`);
  const [value, body] = plan;
  const key = seenKey(ctx);
  return {
    steps: [
      eachScript(ctx, `${id}_args`, `({ item: $item, key: ${toCode(value)} })`, parameters),
      { id: `${id}_kept`, type: "state", name, config: { action: "get", key } },
      scriptStep(
        ctx,
        `${id}_new`,
        `const all = input.steps.${id}_args.output, known = input.steps.${id}_kept.output.value;\n${body}`,
      ),
      {
        id: `${id}_keep`,
        type: "state",
        name,
        config: { action: "set", key, value: `{{ steps.${id}_new.output.kept }}` },
      },
      scriptStep(ctx, id, `const { o0, o1 } = input.steps.${id}_new.output;\nreturn { o0, o1 };`),
    ],
    approximations: [
      ...findApproximations(ctx, parameters),
      "processed items are saved when the step ends",
    ],
  };
};

export const forgetSeen: Convert = (ctx) => {
  const { id, node } = ctx;
  const name = node.name.slice(0, 200);
  return {
    steps: [
      listScript(ctx, `${id}_items`, "return list;"),
      { id: `${id}_forget`, type: "state", name, config: { action: "delete", key: seenKey(ctx) } },
      scriptStep(ctx, id, `return input.steps.${id}_items.output;`),
    ],
  };
};
