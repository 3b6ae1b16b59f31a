import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";

/** An item that runs automatically in the name of a member. */
export interface UnattendedItem {
  readonly id: string;
  readonly name: string;
  /** Its environment, or null for all environments. */
  readonly environment: string | null;
}

/** A kind of automatic work that must stop when the member leaves. */
export interface UnattendedWork {
  /** The resource type: `workflow`, `webhook`. */
  readonly kind: string;
  /** Lists up to `limit` items that run as a member. The transaction can limit them to one environment. */
  readonly list: (tx: Tx, userId: string, limit: number) => Promise<readonly UnattendedItem[]>;
}

/** Domains declare their automatic work here. */
export const UnattendedWorkPoint = extensionPoint<UnattendedWork>("kernel.unattended_work");
