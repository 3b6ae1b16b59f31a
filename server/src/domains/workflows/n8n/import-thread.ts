/** The entry point of the thread that converts imported workflows. */
import { Failure } from "#kernel/operation/failure.ts";
import { serveTasks } from "#kernel/work/task-threads.ts";
import { type Imported, importN8n } from "./import-workflow.ts";
import type { Json } from "./n8n-workflow.ts";

/** Larger files are not plausible workflows. */
const CHARACTERS_MAX = 8 * 1024 * 1024;

export interface ImportTask {
  readonly workflow: Json;
  readonly chosen: Readonly<Record<string, string>>;
}

export type ImportResult = { readonly imported: Imported } | { readonly refusal: string };

serveTasks(({ workflow, chosen }: ImportTask): ImportResult => {
  try {
    const imported = importN8n(workflow, chosen);
    return JSON.stringify(imported).length > CHARACTERS_MAX
      ? { refusal: "The imported workflow is larger than 8 MiB." }
      : { imported };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { refusal: error.message };
  }
});
