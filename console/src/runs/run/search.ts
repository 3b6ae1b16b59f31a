/** The search parameters of a run. */
export type RunPageView = "canvas" | "waterfall" | "both";

const VIEWS: readonly RunPageView[] = ["canvas", "waterfall", "both"];
/** The pseudo step for the run itself: trigger and output. */
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
