const HOUR_M = 60;
const TIME = /^(?:(\d+(?:[.,]\d+)?)\s*h)?\s*(?:(\d+)\s*m?)?$/i;

/** Parses minutes from `15`, `1h`, `1h30` or `1.5h`; undefined if invalid. */
export function readMinutes(text: string): number | undefined {
  const parts = TIME.exec(text.trim());
  if (!parts || text.trim() === "") return undefined;
  const hours = Number((parts[1] ?? "0").replace(",", "."));
  const minutes = Math.round(hours * HOUR_M) + Number(parts[2] ?? 0);
  return minutes > 0 ? minutes : undefined;
}

/** `45m`, `2h`, `1h 30m`. */
export function toMinuteWords(minutes: number): string {
  if (minutes < HOUR_M) return `${minutes}m`;
  const rest = minutes % HOUR_M;
  return `${Math.floor(minutes / HOUR_M)}h${rest > 0 ? ` ${String(rest).padStart(2, "0")}m` : ""}`;
}
