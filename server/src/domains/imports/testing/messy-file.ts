const MONTHS = [
  "Januar",
  "Februar",
  "März",
  "April",
  "Mai",
  "Juni",
  "Juli",
  "August",
  "September",
  "Oktober",
  "November",
  "Dezember",
];
const two = (value: number): string => String(value).padStart(2, "0");

/** Columns filled in the style of several countries, with their types. */
export const MESSY_TYPES = {
  Nummer: "text",
  "Bestellt am": "date",
  Shipped: "timestamp",
  "Betrag (€)": "decimal",
  Price: "decimal",
  Menge: "integer",
  Bezahlt: "boolean",
  "E-Mail": "email",
  PLZ: "text",
  Status: "enum",
  Notiz: "text",
} as const;

export interface MessyRow {
  readonly cells: readonly string[];
  readonly isBroken: boolean;
}

/** Messy rows with a few invalid ones: every 211th and every 397th. */
export function messyRows(count: number): MessyRow[] {
  return Array.from({ length: count }, (_, n) => {
    const [day, month, year] = [(n % 28) + 1, (n % 12) + 1, 1995 + (n % 30)];
    const isBroken = n % 211 === 210 || n % 397 === 396;
    return {
      isBroken,
      cells: [
        `A-${n}`,
        n % 211 === 210 ? "bald" : dayOf(n, { day, month, year }),
        n % 7 === 0
          ? "n/a"
          : `${month}/${day}/${year} ${(n % 12) + 1}:${two(n % 60)} ${n % 2 === 0 ? "AM" : "PM"}`,
        n % 397 === 396 ? "siehe Notiz" : amountOf(n),
        `$${1 + (n % 90)},${String(n % 1000).padStart(3, "0")}.${two(n % 100)}`,
        n % 9 === 0 ? "" : String(n % 500),
        n % 2 === 0 ? "ja" : "Nein",
        `kunde${n}@beispiel.de`,
        `0${1000 + (n % 8000)}`,
        ["offen", "bezahlt", "storniert"][n % 3] ?? "",
        n % 5 === 0 ? `sagt "schön"; und\n"Größe", ${n}` : `Müller & Söhne ${n}`,
      ],
    };
  });
}

function dayOf(
  n: number,
  { day, month, year }: { day: number; month: number; year: number },
): string {
  if (n % 3 === 0) return `${day}. ${MONTHS[month - 1]} ${year}`;
  if (n % 3 === 1) return `${two(day)}.${two(month)}.${year}`;
  return `${year}-${two(month)}-${two(day)}`;
}

function amountOf(n: number): string {
  const text = `${1 + (n % 70)}.${String(n % 1000).padStart(3, "0")},${two(n % 100)}`;
  return n % 4 === 0
    ? `${text} €`
    : n % 4 === 1
      ? `-${text}`
      : n % 4 === 2
        ? `${n % 100},5`
        : `EUR ${text}`;
}

/** The rows as CSV text, quoted if needed. */
export function toText(rows: readonly MessyRow[], separator: string, lineBreak = "\r\n"): string {
  const quote = (cell: string): string =>
    /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const header = Object.keys(MESSY_TYPES);
  return [header, ...rows.map(({ cells }) => cells)]
    .map((cells) => cells.map(quote).join(separator))
    .join(lineBreak);
}
