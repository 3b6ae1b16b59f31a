/** The user's last writes, so that they can be copied as code. Reads are in the query cache. */
import { hideSecrets } from "./secret-name.ts";

export interface NotedCall {
  readonly id: string;
  readonly input: unknown;
}

const KEPT_MAX = 8;
let writes: readonly NotedCall[] = [];

/** Records a write without secrets. */
export function noteWrite({ id, input }: NotedCall): void {
  writes = [{ id, input: hideSecrets(input) }, ...writes].slice(0, KEPT_MAX);
}

export const listWrites = (): readonly NotedCall[] => writes;
