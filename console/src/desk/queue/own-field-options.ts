import { useMemo } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Chip } from "../search.ts";

const KEPT_MS = 600_000;

export type OwnField = Schemas["TicketField"];

/** Returns the custom fields of all kinds, without duplicates: kinds share fields with the same key. */
export function useOwnFields(enabled: boolean): readonly OwnField[] {
  const may = useMay();
  const options = { enabled: enabled && may("teams.list"), staleTime: KEPT_MS };
  const incident = useOp("desk.get_kind", { params: { kind: "incident" } }, options).data;
  const request = useOp("desk.get_kind", { params: { kind: "request" } }, options).data;
  const problem = useOp("desk.get_kind", { params: { kind: "problem" } }, options).data;
  const change = useOp("desk.get_kind", { params: { kind: "change" } }, options).data;
  return useMemo(() => {
    const all = [incident, request, problem, change].flatMap((kind) => kind?.data.fields ?? []);
    return [...new Map(all.map((field) => [field.key, field])).values()];
  }, [incident, request, problem, change]);
}

/** Returns filter chips for custom fields with choices or booleans. */
export function useOwnFieldOptions(
  enabled: boolean,
): readonly (Chip & { readonly label: string })[] {
  const fields = useOwnFields(enabled);
  return useMemo(
    () =>
      fields.flatMap(({ key, name, type, choices }) => {
        const values = type === "boolean" ? ["true", "false"] : (choices ?? []);
        return values.map((value) => ({
          field: "field" as const,
          value: `${key}=${value}`,
          label: `${name}: ${type === "boolean" ? (value === "true" ? "yes" : "no") : value}`,
        }));
      }),
    [fields],
  );
}
