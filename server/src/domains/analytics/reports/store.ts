import Type from "typebox";
import type { Item } from "#kernel/resource/resource.ts";
import { tableStore } from "#kernel/resource/table.ts";
import { type Definition, Report } from "./report.ts";

const { id, name, description, createdBy, createdAt, updatedAt } = Report.properties;
const StoredReport = Type.Object({
  id,
  name,
  description,
  definition: Type.Unsafe<Definition>({}),
  createdBy,
  createdAt,
  updatedAt,
});
/** A report, and its executable part. */
export type StoredReport = Item<typeof Report, typeof StoredReport>;

export const reportTable = {
  table: "reports",
  schema: Report,
  stored: StoredReport,
  json: ["definition"],
  toItem: ({ definition }: { readonly definition: Definition }) =>
    definition as Partial<StoredReport>,
} as const;

export const reportStore = tableStore<typeof Report, typeof StoredReport>(reportTable);
