import type { GridColumn } from "./column.ts";

/** Returns the first text of a record, or its number. An id is not used as a title. */
export function titleOf(
  record: Readonly<Record<string, unknown>>,
  columns: readonly GridColumn[],
): string {
  const own = columns.filter(({ isSystem }) => !isSystem);
  for (const { name, type } of own) {
    const value = record[name];
    if ((type === "text" || type === "email") && typeof value === "string" && value !== "") {
      return value;
    }
  }
  const number = own.find(({ type }) => type === "autonumber");
  const value = number && record[number.name];
  if (typeof value === "number") return `No. ${value}`;
  const id = record["id"];
  return typeof id === "string" ? id : "";
}
