import type { Head } from "../archive/frame.ts";
import { SIGNED } from "../catalogue.ts";
import { type PeopleMap, replacePeople } from "./people.ts";
import { mapColumn } from "./row-lines.ts";

/** Values of this installation that take the place of those in the archive. */
export interface Here {
  readonly people: PeopleMap;
  readonly slug: string;
  /** Where files are stored. */
  readonly place: string;
}

/** NULL as COPY writes it. */
const NULL_VALUE = "\\N";

/** Rows as they are here: with the accounts, the slug and the place of files of this installation. */
export function adaptRows(
  { table, columns }: Pick<Extract<Head, { kind: "rows" }>, "table" | "columns">,
  lines: Buffer,
  { people, slug, place }: Here,
): Buffer {
  if (SIGNED.has(table)) return lines;
  replacePeople(lines, people);
  if (table === "workspaces") return mapColumn(lines, columns.indexOf("slug"), () => slug);
  // A private key in an archive is known to whoever made the archive: the workspace signs with a new one.
  if (table === "log_signing_keys")
    return mapColumn(lines, columns.indexOf("sealed"), () => NULL_VALUE);
  if (table !== "blobs") return lines;
  return mapColumn(lines, columns.indexOf("place"), (old) => (old === "database" ? old : place));
}
