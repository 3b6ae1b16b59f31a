import type { Head } from "../archive/frame.ts";
import { SIGNED } from "../catalogue.ts";
import { type PeopleMap, replacePeople } from "./people.ts";
import { mapColumn } from "./row-lines.ts";

/** Values of this installation that replace those in the archive. */
export interface Here {
  readonly people: PeopleMap;
  readonly slug: string;
  /** The store of files. */
  readonly place: string;
}

/** NULL in COPY format. */
const NULL_VALUE = "\\N";

/** Adapts rows to this installation: its accounts, slug and file store. */
export function adaptRows(
  { table, columns }: Pick<Extract<Head, { kind: "rows" }>, "table" | "columns">,
  lines: Buffer,
  { people, slug, place }: Here,
): Buffer {
  if (SIGNED.has(table)) return lines;
  replacePeople(lines, people);
  if (table === "workspaces") return mapColumn(lines, columns.indexOf("slug"), () => slug);
  // The author of an archive knows its private key, so the workspace gets a new signing key.
  if (table === "log_signing_keys")
    return mapColumn(lines, columns.indexOf("sealed"), () => NULL_VALUE);
  if (table !== "blobs") return lines;
  return mapColumn(lines, columns.indexOf("place"), (old) => (old === "database" ? old : place));
}
