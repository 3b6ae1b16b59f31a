/** How the queue is displayed: density and details, stored on this device. */
export const DENSITIES = ["roomy", "close"] as const;
export type Density = (typeof DENSITIES)[number];

export const PARTS = ["number", "state", "caller", "word", "people", "tags"] as const;
export type Part = (typeof PARTS)[number];

export interface Display {
  readonly density: Density;
  readonly parts: readonly Part[];
  /** Keys of custom fields. */
  readonly fields: readonly string[];
}

export const ROW_PX: Readonly<Record<Density, number>> = { roomy: 54, close: 36 };

const KEY = "millrace.desk.display";
const DEFAULT: Display = {
  density: "roomy",
  parts: ["number", "state", "caller", "word", "people"],
  fields: [],
};

export function readDisplay(memory: Pick<Storage, "getItem"> = localStorage): Display {
  try {
    const { density, parts, fields } = JSON.parse(memory.getItem(KEY) ?? "{}") as Partial<Display>;
    return {
      density: DENSITIES.find((one) => one === density) ?? DEFAULT.density,
      parts: Array.isArray(parts) ? PARTS.filter((one) => parts.includes(one)) : DEFAULT.parts,
      fields: Array.isArray(fields) ? fields.filter((one) => typeof one === "string") : [],
    };
  } catch {
    return DEFAULT;
  }
}

export function saveDisplay(
  display: Display,
  memory: Pick<Storage, "setItem"> = localStorage,
): void {
  memory.setItem(KEY, JSON.stringify(display));
}

const OWN = "fields.";

/** Converts the displayed details to the columns of a saved view. */
export const toColumns = ({ parts, fields }: Display): string[] => [
  ...parts,
  ...fields.map((key) => `${OWN}${key}`),
];

/** Applies the columns of a view; a view without columns uses this device's settings. */
export function applyColumns(display: Display, columns: readonly string[] = []): Display {
  if (columns.length === 0) return display;
  return {
    density: display.density,
    parts: PARTS.filter((part) => columns.includes(part)),
    fields: columns.filter((one) => one.startsWith(OWN)).map((one) => one.slice(OWN.length)),
  };
}

/** Returns the CSS classes of a list, which hide omitted details. */
export function classesOf({ density, parts }: Display): string {
  const hidden = PARTS.filter((part) => !parts.includes(part)).map((part) => `hides-${part}`);
  return [density, ...hidden].join(" ");
}

export function togglePart<T>(list: readonly T[], one: T): readonly T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}
