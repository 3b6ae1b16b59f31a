/** The properties of a VEVENT by name. */
export type ParsedEvent = ReadonlyMap<string, string>;

/** Parses calendar events by RFC 5545, independently from the product code. */
export function parseICalendar(calendar: string): ParsedEvent[] {
  if (!calendar.endsWith("\r\n")) throw new Error("A line has no end.");
  const lines = calendar.slice(0, -2).replaceAll("\r\n ", "").split("\r\n");
  if (lines[0] !== "BEGIN:VCALENDAR" || lines.at(-1) !== "END:VCALENDAR")
    throw new Error("This is no calendar.");
  const events: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  for (const line of lines.slice(1, -1)) {
    if (line === "BEGIN:VEVENT") events.push((current = new Map()));
    else if (line === "END:VEVENT") current = undefined;
    else {
      const colon = line.indexOf(":");
      if (!/^[A-Z-]+$/.test(line.slice(0, colon))) throw new Error(`This is no property: ${line}`);
      current?.set(line.slice(0, colon), line.slice(colon + 1));
    }
  }
  return events;
}

/** Unescapes a value of type TEXT. */
export function text(event: ParsedEvent, name: string): string {
  const value = event.get(name) ?? "";
  if (/(?<!\\)(\\\\)*[;,]/.test(value)) throw new Error(`This is not escaped: ${value}`);
  return value.replaceAll(/\\([\\;,nN])/g, (_, mark: string) =>
    mark.toLowerCase() === "n" ? "\n" : mark,
  );
}
