const DAY_MS = 86_400_000;

/** Formats the times of a page in the user's time zone. */
export function writeTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll("time")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.textContent = sayTime(at, new Date());
    element.title = at.toLocaleString();
  }
}

/** Formats `14:05` today, `Tuesday, 14:05` within a week, otherwise with the date. */
export function sayTime(at: Date, now: Date): string {
  const clock = { hour: "2-digit", minute: "2-digit" } as const;
  if (at.toDateString() === now.toDateString()) return at.toLocaleTimeString([], clock);
  const isNear = Math.abs(at.getTime() - now.getTime()) < 6 * DAY_MS;
  if (isNear) return at.toLocaleString([], { weekday: "long", ...clock });
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return at.toLocaleDateString([], { day: "numeric", month: "long", ...year });
}
