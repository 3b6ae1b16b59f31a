/** A dry run on the server of installing or removing a pack. */
import { call, type OperationId, type Input, type Schemas } from "../data/api.ts";

export interface Rehearsal<T> {
  /** The response of the command; null if the server did not return one. */
  readonly answer: T | null;
  /** The error message if the command would fail. */
  readonly refusal: string | undefined;
  readonly changes: readonly PlannedChange[];
}

export interface PlannedChange {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly act: "create" | "update" | "delete";
  readonly fields: readonly string[];
}

interface DryRun {
  readonly answer: { readonly status: number; readonly body: unknown } | null;
  readonly events: readonly {
    readonly type: string;
    readonly resource: {
      readonly type: string;
      readonly id: string;
      readonly displayName: string | null;
    };
  }[];
  readonly changes: readonly {
    readonly resource: { readonly type: string; readonly id: string };
    readonly fields: readonly string[];
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

type PackCommand = "packs.install_baseline" | "packs.install" | "packs.uninstall";

/** Runs a command as a dry run: the server rolls it back. */
export async function rehearse<T>(
  id: PackCommand & OperationId,
  input: Input<PackCommand>,
  signal?: AbortSignal,
): Promise<Rehearsal<T>> {
  // Every command accepts this parameter, but the client's types contain only those of the operation.
  const asked = { ...input, query: { dryRun: "true" } } as Input<PackCommand>;
  const reply: unknown = await call(id, asked, signal ? { signal } : {});
  return toRehearsal<T>((reply as { readonly data: DryRun }).data);
}

export function toRehearsal<T>({ answer, events, changes }: DryRun): Rehearsal<T> {
  const names = new Map(
    events.map(({ resource }) => [resource.id, resource.displayName ?? resource.id]),
  );
  const isGood = answer !== null && answer.status < 300;
  const body = answer?.body as { readonly data?: T; readonly detail?: string } | undefined;
  return {
    answer: isGood ? (body?.data ?? null) : null,
    refusal: answer !== null && !isGood ? (body?.detail ?? "The operation would fail.") : undefined,
    changes: changes
      .filter(({ resource }) => resource.type !== "pack")
      .map(({ resource, fields, before, after }) => ({
        kind: resource.type,
        id: resource.id,
        name: names.get(resource.id) ?? resource.id,
        act: isNothing(before) ? "create" : isNothing(after) ? "delete" : "update",
        fields,
      })),
  };
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

export type Kept = Schemas["KeptPackItem"];

const REASONS: Readonly<Record<string, string>> = {
  edited: "A user changed it, so it is kept.",
  deleted: "A user deleted it, so it is not restored.",
  in_use: "It is in use, so it is kept.",
};

export const reasonOf = ({ reason, detail }: Kept): string => detail ?? REASONS[reason] ?? reason;
