/** The search parameters of the map: the selected item, the end of a path, and the class filter of the list. */
export interface ServicesSearch {
  readonly item?: string | undefined;
  readonly to?: string | undefined;
  readonly class?: string | undefined;
  readonly q?: string | undefined;
}

export function readServicesSearch(search: Readonly<Record<string, unknown>>): ServicesSearch {
  const text = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  return {
    item: text(search["item"]),
    to: text(search["to"]),
    class: text(search["class"]),
    q: text(search["q"]),
  };
}
