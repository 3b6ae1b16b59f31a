/** Times as a field of the browser has them: local, without a zone. */

export function toLocalInput(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function fromLocalInput(text: string): string | null {
  const ms = text === "" ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
