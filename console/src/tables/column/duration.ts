/** Parses and formats durations in seconds: `1:30:00`, `1h 30m`, `PT1H30M`. */
const UNITS = [604_800, 86_400, 3_600, 60, 1];
const CLOCK = /^(\d{1,7}):([0-5]?\d)(?::([0-5]?\d(?:\.\d{1,3})?))?$/;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/i;
const WORDS =
  /^(?:(\d+)\s*w)?\s*(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d{1,3})?)\s*s)?$/i;

/** Returns the seconds of a text; a bare number is in seconds. */
export function readDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d{1,3})?$/.test(trimmed)) return Number(trimmed);
  const clock = CLOCK.exec(trimmed);
  if (clock) return weigh(clock.slice(1), UNITS.slice(2));
  if (trimmed === "" || /^PT?$/i.test(trimmed)) return undefined;
  const units = ISO.exec(trimmed) ?? WORDS.exec(trimmed);
  return units ? weigh(units.slice(1), UNITS) : undefined;
}

function weigh(parts: readonly (string | undefined)[], units: readonly number[]): number {
  const sum = parts.reduce((total, part, n) => total + Number(part ?? 0) * (units[n] ?? 0), 0);
  return Math.round(sum * 1_000) / 1_000;
}

/** Formats as hours, minutes and seconds, which parses to the same value: `1:30:00`. */
export function toClock(seconds: number): string {
  const whole = Math.floor(seconds);
  const rest = Math.round((seconds - whole) * 1_000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const tail = rest === 0 ? "" : `.${String(rest).padStart(3, "0").replace(/0+$/, "")}`;
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return `${hours}:${two(minutes)}:${two(whole % 60)}${tail}`;
}
