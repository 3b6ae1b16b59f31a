/** What the address of a run says. */
export type RunPageView = "canvas" | "waterfall" | "both";

const VIEWS: readonly RunPageView[] = ["canvas", "waterfall", "both"];
/** The step that stands for the run itself: what started it and what came out. */
export const TRIGGER_STEP = "trigger";

export interface RunSearch {
  readonly step?: string | undefined;
  readonly item?: string | undefined;
  readonly view?: RunPageView | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export function readRunSearch(search: Readonly<Record<string, unknown>>): RunSearch {
  return {
    step: textOf(search["step"]),
    item: textOf(search["item"]),
    view: VIEWS.find((view) => view === search["view"]),
  };
}
