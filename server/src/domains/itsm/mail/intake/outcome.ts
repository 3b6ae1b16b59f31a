import type { FoundTicket } from "../../tickets/index.ts";
import type { PreparedMail } from "./prepare-mail.ts";

export type ReadMail = Extract<PreparedMail, { kind: "parsed" }>;

/** The mail outcome, stored in its row and event. */
export interface MailOutcome {
  readonly state: "received" | "ignored" | "bounced" | "failed";
  readonly reason: string;
  readonly detail?: string | undefined;
  readonly ticket?: FoundTicket | undefined;
  readonly commentId?: string;
  readonly acknowledged?: boolean;
}
