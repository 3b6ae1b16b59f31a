/** Titles of fields by source, for filters and rows that only contain field names. */
import { toTitle } from "@millrace/client/chart";
import { useQueries } from "@tanstack/react-query";
import { query } from "../../data/api.ts";
import type { ReportDraft } from "../builder/model.ts";

const KEPT_MS = 60_000;

/** Returns the title of a field from the first source that has the field. */
export function useFieldTitles(
  sources: readonly ReportDraft["source"][],
  enabled = true,
): (name: string) => string {
  const titles = useQueries({
    queries: sources.map((source) => ({
      ...query("reports.fields", { body: { source } }),
      staleTime: KEPT_MS,
      enabled,
    })),
    combine: (answers) => answers.map(({ data }) => data?.data ?? []),
  });
  return (path) => titleOfField(titles, path);
}

interface TitledField {
  readonly name: string;
  readonly title?: string;
}

/** Starts the label of a path with the reference's title, as in the columns of a report. */
export function titleOfField(sources: readonly (readonly TitledField[])[], path: string): string {
  const [first = "", ...rest] = path.split(".");
  for (const fields of sources) {
    const title = fields.find(({ name }) => name === first)?.title;
    if (title !== undefined) return [title, ...rest].join(" · ");
  }
  return toTitle(path);
}
