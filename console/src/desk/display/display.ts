/** How the queue is shown: how close its rows stand, and what they tell. It is kept on this device. */
export const DENSITIES = ["roomy", "close"] as const;
export type Density = (typeof DENSITIES)[number];

export const PARTS = ["number", "state", "caller", "word", "people", "tags"] as const;
export type Part = (typeof PARTS)[number];

export interface Display {
  readonly density: Density;
  readonly parts: readonly Part[];
  /** Keys of own fields. */
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

/** The classes of a list that is shown so: what is left out is hidden. */
export function classesOf({ density, parts }: Display): string {
  const hidden = PARTS.filter((part) => !parts.includes(part)).map((part) => `hides-${part}`);
  return [density, ...hidden].join(" ");
}

export function togglePart<T>(list: readonly T[], one: T): readonly T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}
