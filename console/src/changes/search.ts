/** The search parameters of the change pages. */

export const CHANGE_TABS = ["open", "waiting", "mine", "ended"] as const;
export type ChangeTab = (typeof CHANGE_TABS)[number];

export const NEW_FREEZE = "new";

export interface ChangesSearch {
  readonly view?: "list" | undefined;
  /** A day in the first displayed week. */
  readonly from?: string | undefined;
  readonly open?: string | undefined;
  /** The change freeze whose dialog is open: its id, or `NEW_FREEZE`. */
  readonly freeze?: string | undefined;
  readonly tab?: ChangeTab | undefined;
  readonly q?: string | undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function readChangesSearch(search: Readonly<Record<string, unknown>>): ChangesSearch {
  const { view, from, open, freeze, tab, q } = search;
  return {
    view: view === "list" ? "list" : undefined,
    from: typeof from === "string" && DAY.test(from) ? from : undefined,
    open: typeof open === "string" ? open : undefined,
    freeze: typeof freeze === "string" ? freeze : undefined,
    tab: CHANGE_TABS.find((one) => one === tab && one !== "open"),
    q: typeof q === "string" && q !== "" ? q : undefined,
  };
}
