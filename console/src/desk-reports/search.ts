import { TICKET_KIND } from "@millrace/client/enums";

export const KINDS = TICKET_KIND;
export type ReportKind = (typeof KINDS)[number];

export const SPANS = ["7", "30", "90", "365"] as const;
export type Span = (typeof SPANS)[number];

/** The report's search parameters: scope and selected figure. */
export interface ReportSearch {
  readonly kind?: ReportKind | undefined;
  /** The number of days until today. */
  readonly days?: Span | undefined;
  readonly team?: string | undefined;
  /** A figure and its filter, such as `resolved` or `created?category=vpn`. */
  readonly rows?: string | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const readReportSearch = (search: Readonly<Record<string, unknown>>): ReportSearch => ({
  kind: KINDS.find((kind) => kind === search["kind"]),
  days: SPANS.find((span) => span === String(search["days"] as string | number | undefined)),
  team: textOf(search["team"]),
  rows: textOf(search["rows"]),
});
