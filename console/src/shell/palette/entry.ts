import type { ReactNode } from "react";

/** A palette entry with its action. */
export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly icon: ReactNode;
  readonly label: string;
  /** More search terms: a ticket number, a person's e-mail address. */
  readonly also?: string;
  /** The server search found it, possibly by a text that is not displayed. */
  readonly isFound?: boolean;
  readonly hint?: ReactNode;
  readonly disabled?: string | undefined;
  readonly run: () => void;
}
