import { inspect, styleText } from "node:util";

type Color = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<number, readonly [string, Color]>> = {
  10: ["trace", "gray"],
  20: ["debug", "gray"],
  30: ["info", "green"],
  40: ["warn", "yellow"],
  50: ["error", "red"],
  60: ["fatal", "red"],
};
const VALUE_CHARACTERS_MAX = 300;

/** Formats a JSON log line for a terminal: time, level, message, then the other fields. */
export function toReadableLine(
  line: string,
  { hasColors }: { readonly hasColors: boolean },
): string {
  const entry = parseEntry(line);
  if (entry === undefined) return line;
  const paint = (color: Color, text: string): string =>
    hasColors ? styleText(color, text, { validateStream: false }) : text;
  const { level, time, msg, err, ...fields } = entry;
  const [name, color] = LEVELS[Number(level)] ?? [String(level), "gray"];
  const parts = [
    paint("gray", new Date(Number(time)).toTimeString().slice(0, 8)),
    paint(color, name.padEnd(5)),
    // For database output, the line is the message.
    ...(msg === "request"
      ? describeRequest(fields, paint)
      : [describeMessage(msg ?? fields["database"] ?? describeFields(fields))]),
    ...(msg === "request" || msg === undefined ? [] : [paint("gray", describeFields(fields))]),
  ];
  const text = parts.filter(Boolean).join(" ");
  const stack = (err as { stack?: unknown } | undefined)?.stack;
  return typeof stack === "string" ? `${text}\n${paint("gray", stack)}\n` : `${text}\n`;
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function describeMessage(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}

function describeRequest(
  { method, path, status, durationMs, actor }: Readonly<Record<string, unknown>>,
  paint: (color: Color, text: string) => string,
): string[] {
  const code = Number(status);
  const color = code >= 500 ? "red" : code >= 400 ? "yellow" : "green";
  const rest = [`${String(durationMs)} ms`, actor].filter(Boolean).join(" ");
  return [`${String(method)} ${String(path)}`, paint(color, String(code)), paint("gray", rest)];
}

function describeFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : inspect(value, { breakLength: Infinity });
      return `${name}=${text.slice(0, VALUE_CHARACTERS_MAX)}`;
    })
    .join(" ");
}
