import { call } from "../../data/api.ts";
import { saveFile } from "../../ui/behaviour/save-file.ts";
import type { Condition } from "../filter/filter-tree.ts";

interface ExportQuery {
  readonly filter: Condition;
  readonly q: string | undefined;
  readonly sort: string;
}

/** Downloads the records of a list as a spreadsheet file. */
export async function exportRecords(slug: string, { filter, q, sort }: ExportQuery): Promise<void> {
  const query = {
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
    ...(q !== undefined && { q }),
    ...(sort !== "" && { sort }),
  };
  const text = await call("records.export", { params: { slug }, query });
  saveFile(String(text), `${slug}.csv`, "text/csv");
}
