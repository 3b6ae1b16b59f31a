const DELAY_MAX_MS = 24 * 3_600_000;

/** Parses `Retry-After` as seconds or a date, at most one day. Undefined for other texts. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const delayMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(delayMs, 0), DELAY_MAX_MS);
}
