/** Column titles for components without labels. */
import { findOpenTable, systemTitle } from "#domains/tables/index.ts";
import type { Component } from "../../definition/component.ts";
import type { AppSession } from "../app-session.ts";
import { toLabel, toText } from "./values.ts";

/** The label of a field without one. */
export type LabelOf = (field: string) => string;

/** Labels from the column titles of the table that a component shows. */
export async function labelsOfSource(
  session: AppSession,
  { dataSource }: Component,
): Promise<LabelOf> {
  const source = session.served.snapshot.dataSources.find(({ name }) => name === dataSource);
  return labelsOfTable(session, source?.config["table"]);
}

/** Labels from the column titles of a table; for a path, from its reference or from the column it leads to. */
export async function labelsOfTable(session: AppSession, slug: unknown): Promise<LabelOf> {
  const table = typeof slug === "string" ? await findOpenTable(session, slug) : undefined;
  if (!table) return toLabel;
  const { byName, computed } = table.schema;
  return (field) => {
    const [first = "", ...rest] = field.split(".");
    const column = byName.get(first) ?? computed.get(first);
    if (!column) return field === "id" ? systemTitle(field) : toLabel(field);
    // If the path leads to the name of the referenced record, the title of the reference is used.
    return rest.length === 0 || toLabel(field) === toLabel(first) ? column.title : toLabel(field);
  };
}

/** The table that a form writes records to. */
export function tableOfForm({ submit }: Readonly<Record<string, unknown>>): string | undefined {
  const { table } = Object(submit) as { readonly table?: unknown };
  return table === undefined ? undefined : toText(table);
}
