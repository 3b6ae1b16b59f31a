/** The names available to n8n code, for scripts of imported workflows. */
import { join } from "node:path";
import type { ScriptLibrary } from "#kernel/sandbox/library/script-library.ts";

const PARTS = [
  "methods",
  "conditions",
  "fields",
  "sheets",
  "sql",
  "stores",
  "documents",
  "answers",
  "helpers",
  "markup",
  "n8n",
];

export const n8nLibrary: ScriptLibrary = {
  name: "n8n",
  files: PARTS.map((part) => join(import.meta.dirname, `${part}.js`)),
  create: "createN8n",
  uses: ["DateTime", "Buffer", "jmespath"],
};
