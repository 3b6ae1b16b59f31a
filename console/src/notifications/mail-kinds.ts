/** Types of e-mail for the settings, as patterns of event types. */
export const KINDS_OF_MAIL = [
  { pattern: "incident.*", label: "Incidents", about: "Yours, or those that you watch." },
  { pattern: "sla.*", label: "Target times", about: "A ticket of yours is late, or will be." },
  { pattern: "request.*", label: "Requests", about: "What you asked for, or are to approve." },
  { pattern: "change.*", label: "Changes", about: "Those that you plan, do or approve." },
  { pattern: "problem.*", label: "Problems", about: "Yours, or those that you watch." },
  { pattern: "workflow.*", label: "Workflows", about: "A run waits for you, or has failed." },
  { pattern: "webhook.*", label: "Webhooks", about: "One was paused after failures." },
  { pattern: "article.*", label: "Knowledge", about: "An article is to be reviewed." },
] as const;

/** Adds or removes a pattern. */
export function setMuted(
  patterns: readonly string[],
  pattern: string,
  isMuted: boolean,
): readonly string[] {
  const others = patterns.filter((one) => one !== pattern);
  return isMuted ? [...others, pattern] : others;
}
