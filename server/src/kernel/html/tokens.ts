import { readFileSync } from "node:fs";
import { join } from "node:path";

const path = join(import.meta.dirname, "../../../../client/src/style/tokens.css");

/** The colours and sizes of the console, for the pages that the server draws. */
export const TOKENS = readFileSync(path, "utf8")
  .replaceAll(/\/\*[^]*?\*\//g, "")
  .replaceAll(/\s+/g, " ")
  .trim();
