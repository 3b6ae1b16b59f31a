/** One call of a service, as code. */
import { toCode } from "../code-text.ts";
import { type Json, type JsonObject, toObject } from "../n8n-workflow.ts";

export interface ServiceOperation {
  readonly method?: string;
  /** Code of the path. */
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly items?: string;
  /** Parameters that are taken; others make it an approximation. */
  readonly takes: readonly string[];
}

/** Describes what a node sends; nothing where that is not known. */
export type Describe = (parameters: JsonObject, version: number) => ServiceOperation | undefined;

/** A parameter that names something by id, address or choice. */
export function locator(value: Json): string {
  const { value: chosen, __rl } = toObject(value);
  return __rl === true ? toCode(chosen ?? "") : toCode(value ?? "");
}

/** Code of a part of a path. */
export const encode = (code: string): string => `encodeURIComponent(n8n.text(${code}))`;
