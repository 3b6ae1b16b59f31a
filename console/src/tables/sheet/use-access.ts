import { useMay, useRefusals } from "../../data/people.ts";
import type { TableShape } from "../column/column.ts";

/** Why the user can't perform an action in a table; undefined if they can. Rules of single records are stricter. */
export interface Access {
  readonly create: string | undefined;
  readonly update: string | undefined;
  readonly delete: string | undefined;
  readonly design: string | undefined;
}

export function useAccess({ access }: TableShape): Access {
  const may = useMay();
  const refusalOf = useRefusals();
  const reason = (action: "create" | "update" | "delete", word: string): string | undefined => {
    if (!may("records.create")) return "You don't have permission to write records.";
    return access.includes(action)
      ? undefined
      : `The access rules of this table don't allow you to ${word}.`;
  };
  return {
    create: reason("create", "add records"),
    update: reason("update", "update records"),
    delete: reason("delete", "delete records"),
    design: refusalOf("tables.create"),
  };
}
