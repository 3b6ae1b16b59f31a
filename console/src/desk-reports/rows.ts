/** Parses the selected figure from the address: `created?category=vpn`. */
import { toWords } from "../ui/words.ts";

export interface Rows {
  readonly figure: string;
  readonly narrow: Readonly<Record<string, string>>;
}

export function readRows(text: string): Rows {
  const at = text.indexOf("?");
  if (at < 0) return { figure: text, narrow: {} };
  const narrow = Object.fromEntries(new URLSearchParams(text.slice(at + 1)));
  return { figure: text.slice(0, at), narrow };
}

const FIGURES: Readonly<Record<string, string>> = {
  created: "Created",
  resolved: "Resolved",
  open: "Open",
  answered: "Answered",
  reopened: "Reopened",
  rated: "Rated",
  met: "SLA met",
  breached: "SLA breached",
};

/** Returns a title such as "Created, category vpn". */
export function toRowsTitle(
  { figure, narrow }: Rows,
  nameOf: (id: string) => string | undefined,
): string {
  const day = (text: string): string =>
    new Date(text).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const { from, minAgeDays, maxAgeDays, ...rest } = narrow;
  const parts = Object.entries(rest)
    .filter(([name]) => name !== "to")
    .map(([name, value]) => {
      if (name === "priority") return `P${value}`;
      if (name === "itemId") return "one service";
      if (name === "category") return value === "" ? "no category" : toWords(value);
      if (name === "satisfaction") return `${value} of 5`;
      return value === "none" ? "unassigned" : (nameOf(value) ?? "unknown");
    });
  const age = minAgeDays === undefined ? [] : [ageWords(minAgeDays, maxAgeDays)];
  const since = from === undefined ? [] : [`from ${day(from)}`];
  return [FIGURES[figure] ?? toWords(figure), ...parts, ...age, ...since].join(", ");
}

const ageWords = (min: string, max: string | undefined): string =>
  max === undefined ? `older than ${min} days` : `${min} to ${max} days old`;
