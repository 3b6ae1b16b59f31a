/** The texts of the e-mails about a ticket, by event. */
import type { TicketIdentity } from "../../tickets/index.ts";

export interface TicketChange {
  /** The verb of the event: `comment_added`. */
  readonly verb: string;
  readonly ticket: Pick<TicketIdentity, "number" | "title">;
  /** The comment, resolution or reason, if any. */
  readonly text: string;
  /** The name of the author, if any. */
  readonly author: string;
}

interface Words {
  readonly lead: (number: string) => string;
  readonly close?: string;
}

const ANSWER = "To add something, reply to this e-mail.";

const WORDS: Readonly<Record<string, Words>> = {
  created: {
    lead: (number) => `We received your message. The ticket number is ${number}.`,
    close: ANSWER,
  },
  comment_added: { lead: () => "", close: ANSWER },
  resolved: {
    lead: (number) => `${number} is resolved.`,
    close: "If it is not resolved, reply to this e-mail to reopen it.",
  },
  reopened: { lead: (number) => `${number} was reopened.`, close: ANSWER },
  closed: { lead: (number) => `${number} is closed.` },
  merged: {
    lead: (number) => `${number} was merged into another ticket about the same problem.`,
    close: "To add something, reply to this e-mail. Your reply is added to that ticket.",
  },
  unmerged: { lead: (number) => `${number} is a separate ticket again.`, close: ANSWER },
  cancelled: { lead: (number) => `${number} was cancelled.`, close: ANSWER },
  approval_requested: { lead: (number) => `${number} needs your approval.` },
  approved: { lead: (number) => `${number} was approved.` },
  task_added: { lead: (number) => `${number} has a task for you.` },
  task_updated: { lead: (number) => `${number} has a task for you.` },
  task_ready: { lead: (number) => `${number} has a task that you can start.` },
  rejected: { lead: (number) => `${number} was rejected.`, close: ANSWER },
  fulfilled: { lead: (number) => `${number} was fulfilled.`, close: ANSWER },
  failed: { lead: (number) => `${number} could not be fulfilled.`, close: ANSWER },
  assigned: { lead: (number) => `${number} was assigned to you.` },
  updated: { lead: (number) => `${number} was assigned to you.` },
  escalated: { lead: (number) => `${number} was escalated.` },
  completed: { lead: (number) => `${number} was completed.` },
  rolled_back: { lead: (number) => `${number} was rolled back.` },
  known_error_declared: { lead: (number) => `${number} is a known error now.` },
  sla_breached: { lead: (number) => `${number} missed an SLA target.` },
  mentioned: { lead: (number) => `You were mentioned in ${number}.`, close: ANSWER },
};

/** The event verbs that notify requesters by e-mail. */
export const TOLD_VERBS: readonly string[] = [
  "created",
  "comment_added",
  "resolved",
  "reopened",
  "cancelled",
  "merged",
  "unmerged",
  "rejected",
  "fulfilled",
  "failed",
];

/** The paragraphs of an e-mail: the change, its text, and the next step. */
export function paragraphsOf({ verb, ticket, text, author }: TicketChange): {
  readonly lead: string;
  readonly text: string;
  readonly close: string;
} {
  const { lead, close = "" } = WORDS[verb] ?? {
    lead: (number: string) => `${number} was updated.`,
  };
  const isComment = verb === "comment_added";
  const first = isComment && author !== "" ? `${author} wrote:` : lead(ticket.number);
  return { lead: first, text, close };
}
