/** The writes that somebody made last, so that they can be copied as code. What was read is in the query cache. */
import { hideSecrets } from "./request-code.ts";

export interface NotedCall {
  readonly id: string;
  readonly input: unknown;
}

const KEPT_MAX = 8;
let writes: readonly NotedCall[] = [];

/** Remembers a write, the newest first, without what is secret in it. */
export function noteWrite({ id, input }: NotedCall): void {
  writes = [{ id, input: hideSecrets(input) }, ...writes].slice(0, KEPT_MAX);
}

export const listWrites = (): readonly NotedCall[] => writes;
