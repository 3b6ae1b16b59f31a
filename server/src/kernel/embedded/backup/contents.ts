import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../processes.ts";

/** The files and folders of a cluster that belong in a backup, relative to it. */
export interface Contents {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** The server makes the content of these anew, or must not find that of another life. */
const EMPTIED = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  // What is needed of it comes at the end.
  "pg_wal",
]);
const LEFT_OUT = new Set([
  "backup_label",
  "backup_manifest",
  "current_logfiles",
  "pg_internal.init",
  "postgresql.auto.conf.tmp",
  "postmaster.opts",
  "postmaster.pid",
  "recovery.signal",
  "standby.signal",
  "tablespace_map",
]);
/** Files of sorts and joins, and of temporary tables. */
const TEMPORARY = /^(?:pgsql_tmp|pg_internal\.init\.|t\d+_\d+)/;
/** Folders that a running cluster has below those that are emptied. */
const WANTED = ["pg_wal/archive_status", "pg_wal/summaries"];
/** It must be the last: it says from where the database recovers. */
export const CONTROL = "global/pg_control";

/** Looks at a cluster that may be running: what goes while we look is not there. */
export async function contentsOf(cluster: string): Promise<Contents> {
  const files: string[] = [];
  const folders: string[] = [...WANTED];
  const visit = async (path: string): Promise<void> => {
    for (const entry of await list(join(cluster, path))) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || TEMPORARY.test(entry.name)) continue;
      if (entry.isDirectory()) {
        folders.push(name);
        if (!EMPTIED.has(name)) await visit(name);
      } else if (entry.isFile() && name !== CONTROL) files.push(name);
      else if (entry.isSymbolicLink())
        throw new Error(`${name} is a link, which no backup follows.`);
    }
  };
  await visit("");
  return { files, folders };
}

async function list(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return [];
  }
}
