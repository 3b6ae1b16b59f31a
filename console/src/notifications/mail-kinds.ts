export interface MailKind {
  /** The event types. */
  readonly pattern: string;
  readonly label: string;
  readonly about: string;
}

/** Types of e-mail for the settings, as patterns of event types. */
export const KINDS_OF_MAIL: readonly MailKind[] = [
  {
    pattern: "incident.*",
    label: "Incidents",
    about: "Assigned to you, reported by you or watched by you.",
  },
  {
    pattern: "sla.*",
    label: "SLA targets",
    about: "SLA target of your ticket at risk or breached.",
  },
  {
    pattern: "request.*",
    label: "Requests",
    about: "Your requests, and requests that need your approval.",
  },
  {
    pattern: "change.*",
    label: "Changes",
    about: "Your changes, and changes that need your approval.",
  },
  {
    pattern: "problem.*",
    label: "Problems",
    about: "Assigned to you, reported by you or watched by you.",
  },
  { pattern: "workflow.*", label: "Workflows", about: "Failed runs, and approvals of runs." },
  { pattern: "webhook.*", label: "Webhooks", about: "Webhooks that were paused after failures." },
  { pattern: "article.*", label: "Knowledge", about: "Articles that need a review." },
];

/** Pages are sent even if e-mail is turned off. */
export const PAGES: MailKind = {
  pattern: "page.*",
  label: "Pages",
  about: "Sent even if e-mail notifications are off.",
};

/** Adds or removes a pattern. */
export function setMuted(
  patterns: readonly string[],
  pattern: string,
  isMuted: boolean,
): readonly string[] {
  const others = patterns.filter((one) => one !== pattern);
  return isMuted ? [...others, pattern] : others;
}
