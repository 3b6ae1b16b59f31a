import { join } from "node:path";

/** The folder of contents within the data folder. */
export function filesFolder(dataDir: string): string {
  return join(dataDir, "files");
}
