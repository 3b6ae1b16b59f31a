import type { ReactNode } from "react";

/** A line of the palette, and what it does. */
export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly icon: ReactNode;
  readonly label: string;
  /** Found by it too: the number of a ticket, the address of a person. */
  readonly also?: string;
  /** The search says that it fits, if by a text that is not shown. */
  readonly isFound?: boolean;
  readonly hint?: ReactNode;
  readonly disabled?: string | undefined;
  readonly run: () => void;
}
