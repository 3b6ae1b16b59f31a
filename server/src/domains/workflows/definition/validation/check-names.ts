import type { FieldError } from "#kernel/operation/failure.ts";
import { closestName } from "#kernel/schema/closest-name.ts";
import { type CheckContext, errorReporter, type NamesRead } from "./check-context.ts";
import type { StepNames } from "./earlier-steps.ts";
import { SCOPE_NAMES } from "../definition.ts";

/** The names that expressions at one location can use. */
export interface VisibleNames {
  /** Ids of steps that can have an output there. */
  readonly steps: ReadonlySet<string>;
  /** Ids of earlier steps. */
  readonly before: StepNames;
  /** Item names of surrounding loops. */
  readonly items: readonly string[];
  /** Ids of steps waiting for calls with readable addresses. */
  readonly calls: readonly string[];
}

/** Fixed fields of values. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  run: ["id", "createdAt", "workflowId", "versionId", "resumeUrl", "resumeUrls"],
  workspace: ["id", "slug", "name", "timezone"],
  trigger: ["id", "type", "input", "event", "events", "scheduledFor", "submittedAt"],
};
const STEP_MEMBERS: readonly string[] = ["output", "error", "page"];

/** Fields of `trigger` that exist for one trigger type only. */
const TRIGGER_TYPES: Readonly<Record<string, string>> = {
  event: "event_bus",
  events: "event_bus",
  scheduledFor: "schedule",
};

/** Suggestions are slow to compute, so errors beyond this number have none. */
const SUGGESTIONS_MAX = 50;

/** Finds the most likely correct spelling of a name. */
type Suggest = (name: string, names: Iterable<string>) => string | undefined;

/** Checks that the names in expressions exist. An unknown name would silently have no value. */
export function checkNames(
  ctx: CheckContext,
  reads: readonly NamesRead[],
  visible: VisibleNames,
  base: string,
): void {
  const roots = [...SCOPE_NAMES, ...visible.items];
  const suggest = ctx.errors.length < SUGGESTIONS_MAX ? closestName : () => undefined;
  for (const { path, paths, variables } of reads) {
    const report = errorReporter(ctx, base + path);
    for (const name of variables) {
      report([{ path: "", message: `reads $${name}, which is not defined` }]);
    }
    for (const names of paths) {
      const message = nameError(names, roots, visible, suggest);
      if (message !== undefined) report([{ path: "", message }]);
      else ctx.warnings.push(...nameWarnings(ctx, names, visible, base + path));
    }
  }
}

/** Checks the expressions outside of the graph, which see only these names. */
export function checkOuterNames(
  ctx: CheckContext,
  reads: readonly NamesRead[],
  roots: readonly string[],
  base: string,
): void {
  for (const { path, paths } of reads) {
    const unknown = paths.filter(([root = ""]) => !roots.includes(root));
    const message = `can only use ${roots.join(" and ")}`;
    if (unknown.length > 0) errorReporter(ctx, base + path)([{ path: "", message }]);
  }
}

function nameError(
  names: readonly string[],
  roots: readonly string[],
  { steps, calls }: VisibleNames,
  suggest: Suggest,
): string | undefined {
  const [root = "", member, part] = names;
  const hint = (name: string, all: Iterable<string>): string => {
    const closest = suggest(name, all);
    return closest === undefined ? "" : ` (did you mean ${closest}?)`;
  };
  if (!roots.includes(root)) {
    return `reads ${root}, which does not exist${hint(root, roots)}; available names: ${roots.join(", ")}`;
  }
  if (member === undefined) return undefined;
  if (root === "steps") {
    if (!steps.has(member))
      return `reads steps.${member}, which does not exist${hint(member, steps)}`;
    if (part === undefined || STEP_MEMBERS.includes(part)) return undefined;
    return `reads steps.${member}.${part}, but a step has only ${STEP_MEMBERS.join(", ")}`;
  }
  if (root === "run") return addressError(names, calls, hint);
  return memberError(root, member);
}

/** Only steps that wait for a call have an address. */
function addressError(
  [root = "", member = "", part]: readonly string[],
  calls: readonly string[],
  hint: (name: string, all: readonly string[]) => string,
): string | undefined {
  if (member === "resumeUrl" && calls.length !== 1) {
    const all = calls.map((id) => `run.resumeUrls.${id}`).join(" or ");
    return calls.length === 0
      ? "reads run.resumeUrl, but no step waits for a request"
      : `reads run.resumeUrl, but several steps wait for a request: use ${all}`;
  }
  if (member === "resumeUrls" && part !== undefined && !calls.includes(part)) {
    return `reads run.resumeUrls.${part}, which is not a step that waits for a request${hint(part, calls)}`;
  }
  return memberError(root, member);
}

function memberError(root: string, member: string): string | undefined {
  const members = MEMBERS[root];
  if (!members || members.includes(member)) return undefined;
  return `reads ${root}.${member}, but ${root} has only ${members.join(", ")}`;
}

function nameWarnings(
  { triggerTypes }: CheckContext,
  [root, member = "", part]: readonly string[],
  { before }: VisibleNames,
  path: string,
): FieldError[] {
  if (root === "steps" && member !== "" && !before.has(member)) {
    return [{ path, message: `reads steps.${member}, which does not run before this step` }];
  }
  const needed = TRIGGER_TYPES[member];
  if (root === "trigger" && needed !== undefined && !triggerTypes.includes(needed)) {
    return [
      { path, message: `reads trigger.${member}, which only a trigger of type ${needed} has` },
    ];
  }
  const isInner =
    root === "trigger" && member === "input" && triggerTypes.every((type) => type === "webhook");
  if (isInner && part !== undefined && !INPUT_PARTS.includes(part)) {
    const message = `reads trigger.input.${part}, but the input of a webhook has only ${INPUT_PARTS.join(", ")}`;
    return [{ path, message }];
  }
  return [];
}

const INPUT_PARTS = ["body", "headers", "query", "method", "params", "rawBody", "claims"];
