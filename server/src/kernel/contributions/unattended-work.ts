import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";

/** Something that acts in a member's name while nobody attends to it. */
export interface UnattendedItem {
  readonly id: string;
  readonly name: string;
  /** Where it acts; null for all environments. */
  readonly environment: string | null;
}

/** One kind of it, which ends with the membership of that person. */
export interface UnattendedWork {
  /** The resource type: `workflow`, `webhook`. */
  readonly kind: string;
  /** Lists what acts in the name of a member, in the environment of the transaction or in all; at most `limit`. */
  readonly list: (tx: Tx, userId: string, limit: number) => Promise<readonly UnattendedItem[]>;
}

/** Where domains declare what acts in the name of members. */
export const UnattendedWorkPoint = extensionPoint<UnattendedWork>("kernel.unattended_work");
