/** The search parameters of the builder: the selected part, and the panel next to the preview. */
export interface BuilderSearch {
  /** A JSON pointer into the app. */
  readonly at?: string | undefined;
  readonly view?: "json" | undefined;
}

export function readBuilderSearch(search: Readonly<Record<string, unknown>>): BuilderSearch {
  const { at, view } = search;
  return {
    at: typeof at === "string" && at.startsWith("/") ? at : undefined,
    view: view === "json" ? view : undefined,
  };
}
