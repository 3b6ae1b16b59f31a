import { type ConvertedNode, type NodeContext, NotConvertible, scriptStep } from "../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";

/** Merges several input lists into one. */
export const mergeNode = (ctx: NodeContext): ConvertedNode => {
  const { parameters, version } = ctx.node;
  const mode = toText(parameters["mode"], "append");
  const [left, right] = ctx.sources;
  const name = ctx.node.name.slice(0, 200);
  const lists = ctx.sources.map(([step, output]) => listTemplate(step, output));
  const step = (config: object): ConvertedNode => ({
    steps: [{ id: ctx.id, type: "merge", name, config: { ...config } }],
  });
  if (mode === "append") return step({ mode: "append", lists });
  if (mode === "chooseBranch" || mode === "passThrough" || mode === "wait") {
    const isSecond = parameters["output"] === "input2" || parameters["useDataOfInput"] === "2";
    if (parameters["output"] === "empty" || mode === "wait")
      return step({ mode: "append", lists: lists.slice(0, 1) });
    return step({ mode: "append", lists: [isSecond ? lists[1] : lists[0]] });
  }
  const combine = toText(
    parameters["combineBy"] ?? parameters["combinationMode"],
    mode === "combine" ? "" : mode,
  );
  // Two connections to one input form one list in n8n.
  if (lists.length > 1 && /position|mergeByIndex/i.test(combine)) return byPosition(ctx);
  if (lists.length === 1) return step({ mode: "append", lists });
  if (!left || !right || lists.length !== 2)
    throw new NotConvertible("combines a number of inputs other than two");
  if (mode === "multiplex") return step({ mode: "all_pairs", lists });
  if (mode === "mergeByKey" || mode === "removeKeyMatches" || mode === "keepKeyMatches") {
    const [one, other] = [toPath(parameters["propertyName1"]), toPath(parameters["propertyName2"])];
    if (one === "" || other === "" || (one + other).includes("="))
      throw new NotConvertible("uses expressions for keys");
    return step({
      mode: "by_key",
      lists,
      keys: [`${one} = ${other}`],
      join: mode === "mergeByKey" ? "left" : mode === "keepKeyMatches" ? "inner" : "unmatched_left",
    });
  }
  if (mode !== "combine")
    throw new NotConvertible(
      mode === "combineBySql"
        ? "merges with SQL, which is not supported"
        : `uses the unsupported mode ${mode}`,
    );
  const by = toText(
    parameters["combineBy"] ?? parameters["combinationMode"],
    version >= 3 ? "combineByFields" : "mergeByFields",
  );
  if (/position/i.test(by)) return byPosition(ctx);
  if (/multiplex|all/i.test(by)) return step({ mode: "all_pairs", lists });
  return step({
    mode: "by_key",
    lists,
    keys: keysOfMerge(ctx),
    join: joinOfMerge(parameters),
  });
};

/** Merges lists by position: up to the shortest list, or up to the longest with unpaired items. */
function byPosition(ctx: NodeContext): ConvertedNode {
  const { parameters } = ctx.node;
  const options = toObject(parameters["options"]);
  const isLongest = options["includeUnpaired"] === true || parameters["join"] === "outer";
  const sources = ctx.sources.map(([name, output]) => (output === 0 ? [name] : [name, output]));
  const source = `return n8n.byPosition(${JSON.stringify(sources)}.map((from) => n8n.items(input, [from])), { longest: ${isLongest} });`;
  return { steps: [scriptStep(ctx, ctx.id, source)] };
}

/** A path with list indexes as segments. */
const toPath = (value: unknown): string => toText(value).replaceAll(/\[(\d+)\]/g, ".$1");

function keysOfMerge({ node: { name, parameters }, bind }: NodeContext): string[] {
  const pairs = toList(toObject(parameters["mergeByFields"])["values"]).map((one) => {
    const { field1, field2 } = toObject(one);
    return `${toPath(field1)} = ${toPath(field2)}`;
  });
  const simple = toText(parameters["fieldsToMatchString"])
    .split(",")
    .map((field) => field.trim());
  const keys = pairs.length > 0 ? pairs : simple.filter((field) => field !== "");
  const isByCode = keys.some((key) => /(?:^|= )=/.test(key) || key.includes("{{"));
  if (isByCode) throw new NotConvertible("uses expressions for keys");
  const known = keys.filter((key) => key.trim() !== "=");
  if (known.length > 0) return known;
  // n8n requires a field, too.
  const asked = bind("text", `field ${name}`, `${name}: the field by which items are matched`);
  if (asked === "") throw new NotConvertible("has no field to match items");
  return [asked];
}

function joinOfMerge(parameters: JsonObject): string {
  const { joinMode = "keepMatches", outputDataFrom = "both" } = parameters;
  if (joinMode === "keepMatches" && outputDataFrom === "both") return "inner";
  if (joinMode === "enrichInput1") return "left";
  if (joinMode === "enrichInput2") return "right";
  if (joinMode === "keepEverything") return "outer";
  if (joinMode === "keepNonMatches")
    return outputDataFrom === "input1" ? "unmatched_left" : "unmatched_both";
  throw new NotConvertible("keeps the matches of only one input");
}

/** Builds a template for the list at a step output. */
function listTemplate(step: string, output: number): string {
  if (step.startsWith("$trigger")) return "{{ trigger.input ? trigger.input : [{}] }}";
  if (step === "$turn") return "{{ turn.back }}";
  if (step === "$batch") return "{{ batch.items }}";
  // An object with `o0` has several outputs; anything else is the list itself.
  return output === 0
    ? `{{ $type(steps.${step}.output) = 'object' and $exists(steps.${step}.output.o0) ? steps.${step}.output.o0 : steps.${step}.output }}`
    : `{{ steps.${step}.output.o${output} }}`;
}
