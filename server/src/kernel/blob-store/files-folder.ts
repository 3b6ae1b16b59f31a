import { join } from "node:path";

/** The folder of file contents in the data folder. */
export function filesFolder(dataDir: string): string {
  return join(dataDir, "files");
}
