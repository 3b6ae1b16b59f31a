/** The search parameters of the desk: view, filters and open ticket. */
export interface DeskSearch {
  readonly view?: string | undefined;
  /** Search words. */
  readonly q?: string | undefined;
  /** Filter chips, such as `priority:1,state:on_hold`. */
  readonly only?: string | undefined;
  /** The number of the open ticket. */
  readonly open?: string | undefined;
}

export interface TicketSearch {
  readonly panel?: string | undefined;
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const readDeskSearch = (search: Readonly<Record<string, unknown>>): DeskSearch => ({
  view: textOf(search["view"]),
  q: textOf(search["q"]),
  only: textOf(search["only"]),
  open: textOf(search["open"]),
});

export const CHIP_FIELDS = [
  "priority",
  "state",
  "assignee",
  "team",
  "kind",
  "tag",
  "field",
] as const;
export type ChipField = (typeof CHIP_FIELDS)[number];

export interface Chip {
  readonly field: ChipField;
  readonly value: string;
}

/** The chip value for "unassigned". */
export const NOBODY = "none";

export function readChips(only: string | undefined): readonly Chip[] {
  return (only ?? "").split(",").flatMap((part) => {
    const at = part.indexOf(":");
    const field = CHIP_FIELDS.find((name) => name === part.slice(0, at));
    const value = decodeURIComponent(part.slice(at + 1));
    return field && value !== "" ? [{ field, value }] : [];
  });
}

export function writeChips(chips: readonly Chip[]): string | undefined {
  const text = chips.map(({ field, value }) => `${field}:${encodeURIComponent(value)}`).join(",");
  return text === "" ? undefined : text;
}

/** Adds a chip, or removes it if it exists. */
export function toggleChip(chips: readonly Chip[], chip: Chip): readonly Chip[] {
  const isSame = (one: Chip): boolean => one.field === chip.field && one.value === chip.value;
  return chips.some(isSame) ? chips.filter((one) => !isSame(one)) : [...chips, chip];
}
