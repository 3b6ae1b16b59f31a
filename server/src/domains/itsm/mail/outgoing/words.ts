/** The words of the mails about a ticket, by what happened to it; pure. */
import type { TicketIdentity } from "../../tickets/index.ts";

export interface TicketChange {
  /** The verb of the event: `comment_added`. */
  readonly verb: string;
  readonly ticket: Pick<TicketIdentity, "number" | "title">;
  /** The comment, the resolution or the reason, if there is one. */
  readonly text: string;
  /** The name of who wrote it, if somebody did. */
  readonly author: string;
}

interface Words {
  readonly lead: (number: string) => string;
  readonly close?: string;
}

const ANSWER = "To add something, answer this mail.";

const WORDS: Readonly<Record<string, Words>> = {
  created: { lead: (number) => `We have your message. Its number is ${number}.`, close: ANSWER },
  comment_added: { lead: () => "", close: ANSWER },
  resolved: {
    lead: (number) => `${number} is resolved.`,
    close: "If it is not, answer this mail and it is opened again.",
  },
  reopened: { lead: (number) => `${number} is being worked on again.`, close: ANSWER },
  closed: { lead: (number) => `${number} is closed.` },
  merged: {
    lead: (number) => `${number} was merged into another ticket about the same problem.`,
    close: "To add something, answer this mail: it reaches the people who work on the problem.",
  },
  unmerged: { lead: (number) => `${number} is worked on separately again.`, close: ANSWER },
  cancelled: { lead: (number) => `${number} was cancelled.`, close: ANSWER },
  approval_requested: { lead: (number) => `${number} waits for your approval.` },
  approved: { lead: (number) => `${number} was approved.` },
  task_added: { lead: (number) => `${number} has a task for you.` },
  task_updated: { lead: (number) => `${number} has a task for you.` },
  task_ready: { lead: (number) => `${number} has a task that can begin.` },
  rejected: { lead: (number) => `${number} was rejected.`, close: ANSWER },
  fulfilled: { lead: (number) => `${number} is fulfilled.`, close: ANSWER },
  failed: { lead: (number) => `${number} could not be fulfilled.`, close: ANSWER },
  assigned: { lead: (number) => `${number} is yours now.` },
  updated: { lead: (number) => `${number} is yours now.` },
  escalated: { lead: (number) => `${number} was escalated.` },
  completed: { lead: (number) => `${number} is completed.` },
  rolled_back: { lead: (number) => `${number} was rolled back.` },
  known_error_declared: { lead: (number) => `${number} is a known error now.` },
  sla_breached: { lead: (number) => `${number} missed its target time.` },
  mentioned: { lead: (number) => `You are mentioned in ${number}.`, close: ANSWER },
};

/** The verbs of events that whoever asked is told of by mail. */
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

/** The paragraphs of a mail: what happened, the text, and what to do. */
export function paragraphsOf({ verb, ticket, text, author }: TicketChange): {
  readonly lead: string;
  readonly text: string;
  readonly close: string;
} {
  const { lead, close = "" } = WORDS[verb] ?? {
    lead: (number: string) => `There is news about ${number}.`,
  };
  const isComment = verb === "comment_added";
  const first = isComment && author !== "" ? `${author} wrote:` : lead(ticket.number);
  return { lead: first, text, close };
}
