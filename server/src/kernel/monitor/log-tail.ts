const LINES_MAX = 1_000;
const LINE_CHARACTERS_MAX = 4_000;
const CHARACTERS_MAX = 1_000_000;

const LEVELS: Readonly<Record<number, LogLevel>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of the log. */
export interface LogLine {
  /** Increases by one with each line of this process. */
  readonly position: number;
  readonly at: string | null;
  readonly level: LogLevel;
  readonly message: string;
  /** The remaining fields of the line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TailFilter {
  /** Limits the result to lines after this position. */
  readonly after?: number | undefined;
  /** Limits the result to this level and above. */
  readonly level?: LogLevel | undefined;
  readonly limit: number;
}

/** The latest log lines of this process. Secrets are removed. */
export class LogTail {
  readonly #lines: string[] = [];
  #characters = 0;
  /** The position of the first kept line. */
  #first = 1;

  push(line: string): void {
    const kept = line.length > LINE_CHARACTERS_MAX ? line.slice(0, LINE_CHARACTERS_MAX) : line;
    this.#lines.push(kept);
    this.#characters += kept.length;
    while (this.#lines.length > LINES_MAX || this.#characters > CHARACTERS_MAX) {
      this.#characters -= this.#lines.shift()?.length ?? 0;
      this.#first += 1;
    }
  }

  /** The newest matching lines, oldest first. */
  read({ after = 0, level = "trace", limit }: TailFilter): readonly LogLine[] {
    const least = LOG_LEVELS.indexOf(level);
    const found: LogLine[] = [];
    for (let index = this.#lines.length - 1; index >= 0 && found.length < limit; index -= 1) {
      const position = this.#first + index;
      if (position <= after) break;
      const line = parseLine(this.#lines[index] ?? "", position);
      if (LOG_LEVELS.indexOf(line.level) >= least) found.push(line);
    }
    return found.toReversed();
  }
}

/** A truncated line is not valid JSON and is shown as text. */
function parseLine(text: string, position: number): LogLine {
  try {
    const { level, time, msg, ...fields } = JSON.parse(text) as Record<string, unknown>;
    return {
      position,
      at: typeof time === "number" ? new Date(time).toISOString() : null,
      level: LEVELS[Number(level)] ?? "info",
      message: typeof msg === "string" ? msg : "",
      fields,
    };
  } catch {
    return { position, at: null, level: "info", message: text.trim(), fields: {} };
  }
}
