import type { Schemas } from "../data/api.ts";
import { toWords } from "../ui/words.ts";

export type AgentCall = Schemas["AgentCall"];
export type Agent = Schemas["Agent"];
export type AgentPolicy = Schemas["AgentPolicy"];

interface Change {
  readonly resource: { readonly type: string; readonly id: string };
  readonly fields: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

interface PreviewEvent {
  readonly type: string;
  readonly resource?: {
    readonly type: string;
    readonly id: string;
    readonly number: string | null;
    readonly displayName: string | null;
  };
}

/** Describes a call, including the workflow name. */
export function titleOf({ summary, workflow }: Pick<AgentCall, "summary" | "workflow">): string {
  return workflow ? `${summary}: ${workflow.name}` : summary;
}

/** Describes the changes of a dry run, one line per resource; without before and after values, the effect. */
export function listChanges({
  preview,
  workflow,
}: Pick<AgentCall, "preview" | "workflow">): readonly string[] {
  const events = preview.events as PreviewEvent[];
  const told = new Map(
    events.flatMap(({ resource }) => {
      const name = resource && [resource.number, resource.displayName].filter(Boolean).join(" ");
      return resource && name ? [[resource.id, name] as const] : [];
    }),
  );
  if (workflow) told.set(workflow.id, workflow.name);
  const changes = preview.changes as Change[];
  const known = new Set(changes.map(({ resource }) => resource.id));
  const others = events.filter(({ resource }) => resource && !known.has(resource.id));
  const happens = others.map(({ type, resource }) => {
    const [, did = type] = type.split(/\.(?=[^.]*$)/);
    return `${toWords(resource?.type ?? "")} ${told.get(resource?.id ?? "") ?? resource?.id}: ${did.replaceAll("_", " ")}`;
  });
  const changed = changes.map(({ resource, fields, before, after }) => {
    const name = nameOf(after) ?? nameOf(before) ?? told.get(resource.id) ?? resource.id;
    const thing = `${resource.type.replaceAll("_", " ")} ${name}`;
    if (before === null) return `Creates ${thing}`;
    if (after === null) return `Deletes ${thing}`;
    return `Updates ${thing}${fields.length > 0 ? `: ${fields.join(", ")}` : ""}`;
  });
  return [...changed, ...new Set(happens)];
}

function nameOf(thing: unknown): string | undefined {
  const { name, title } = (thing ?? {}) as { readonly name?: unknown; readonly title?: unknown };
  return [name, title].find((one) => typeof one === "string");
}

/** Returns the event types that the call would append, with counts. */
export function countEvents({ preview }: Pick<AgentCall, "preview">): string {
  const types = (preview.events as { readonly type: string }[]).map(({ type }) => type);
  const counts = Map.groupBy(types, (type) => type);
  return [...counts]
    .map(([type, all]) => (all.length > 1 ? `${type} × ${all.length}` : type))
    .join(", ");
}

const STATUS_TONES: Readonly<Record<AgentCall["status"], string>> = {
  pending: "warn",
  approved: "info",
  rejected: "bad",
  expired: "idle",
  cancelled: "idle",
  performed: "ok",
  failed: "bad",
};

export function toneOf(status: AgentCall["status"]): string {
  return STATUS_TONES[status];
}

/** Describes the call result briefly. */
export function tellEnd({ status, decidedBy, outcome }: AgentCall): string {
  const by = decidedBy ? ` by ${decidedBy.name}` : "";
  if (status === "rejected") return `Rejected${by}`;
  if (status === "expired") return "Expired without a decision";
  if (status === "cancelled") return "Cancelled";
  if (status === "approved") return `Approved${by}, not performed yet`;
  if (status === "failed")
    return `Approved${by}, but the call failed (${outcome?.code ?? "error"})`;
  return `Approved${by}, performed`;
}
