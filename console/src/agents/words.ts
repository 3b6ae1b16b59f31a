import type { Schemas } from "../data/api.ts";

export type AgentCall = Schemas["AgentCall"];
export type Agent = Schemas["Agent"];
export type AgentPolicy = Schemas["AgentPolicy"];

interface Change {
  readonly resource: { readonly type: string; readonly id: string };
  readonly fields: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** What a dry run would change, a line for each thing. */
export function listChanges({ preview }: Pick<AgentCall, "preview">): readonly string[] {
  return (preview.changes as Change[]).map(({ resource, fields, before, after }) => {
    const thing = `${resource.type.replaceAll("_", " ")} ${nameOf(after) ?? nameOf(before) ?? resource.id}`;
    if (before === null) return `Makes ${thing}`;
    if (after === null) return `Deletes ${thing}`;
    return `Changes ${thing}${fields.length > 0 ? `: ${fields.join(", ")}` : ""}`;
  });
}

function nameOf(thing: unknown): string | undefined {
  const { name } = (thing ?? {}) as { readonly name?: unknown };
  return typeof name === "string" ? name : undefined;
}

/** The types of the events that it would append, each once, with how many. */
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

/** How a call ended, in a few words. */
export function tellEnd({ status, decidedBy, outcome }: AgentCall): string {
  const by = decidedBy ? ` by ${decidedBy.name}` : "";
  if (status === "rejected") return `Rejected${by}`;
  if (status === "expired") return "Nobody answered in time";
  if (status === "cancelled") return "Taken back";
  if (status === "approved") return `Approved${by}, not performed yet`;
  if (status === "failed") return `Approved${by}, then refused (${outcome?.code ?? "error"})`;
  return `Approved${by}, performed`;
}
