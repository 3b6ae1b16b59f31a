/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The rendered page: its state, browser-only state, and the widths of its charts. */
import { enteredIn } from "./control.ts";
import { patch } from "./dom.ts";
import type { PageState, TableViewState } from "../page-state.ts";
import type { EditedCell } from "../table.ts";
import { pageView } from "../view.ts";
import type { Scalar } from "./control.ts";

export class PageView {
  readonly inputs: Record<string, Scalar> = {};
  /** By component id, which may be `constructor`. */
  readonly views = Object.create(null) as Record<string, TableViewState>;
  readonly selected = Object.create(null) as Record<string, readonly string[]>;
  /** The cursors of the previous pages of each table. */
  readonly #cursors = Object.create(null) as Record<string, (string | undefined)[]>;
  readonly tabs = new Map<string, number>();
  readonly errors = new Map<string, Readonly<Record<string, string>>>();
  edited: EditedCell | undefined;
  readonly #entered = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #widths = new Map<string, number>();
  readonly #root: Element;
  state: PageState;

  constructor(root: Element, state: PageState) {
    this.#root = root;
    this.state = state;
    new ResizeObserver(() => this.#measure()).observe(root);
  }

  render(): void {
    const timeZone = this.state.region.timeZone;
    patch(this.#root, [
      pageView(
        { ...this.state, region: { ...this.state.region, timeZone } },
        {
          hasScript: true,
          tabs: this.tabs,
          errors: this.errors,
          entered: this.#entered,
          edited: this.edited,
          widths: this.#widths,
        },
      ),
    ]);
    for (const table of this.state.components) {
      if (table.type === "table" && table.select !== undefined)
        this.selected[table.id] ??= table.selected;
    }
  }

  /** Re-renders the parts that depend on the values of a form. */
  enter(form: HTMLFormElement): void {
    this.#entered.set(form.dataset["form"] ?? "", enteredIn(form));
    this.render();
  }

  forget(form: HTMLFormElement): void {
    this.#entered.delete(form.dataset["form"] ?? "");
  }

  search(id: string, q: string): void {
    const { sort } = this.views[id] ?? {};
    this.views[id] = { ...(sort !== undefined && { sort }), ...(q !== "" && { q }) };
    delete this.#cursors[id];
  }

  sort(id: string, sort: string): void {
    const { q } = this.views[id] ?? {};
    this.views[id] = { ...(q !== undefined && { q }), ...(sort !== "" && { sort }) };
    delete this.#cursors[id];
  }

  turn(id: string, to: string, next: string | undefined): void {
    const cursors = (this.#cursors[id] ??= []);
    const { after, ...view } = this.views[id] ?? {};
    if (to === "next") cursors.push(after);
    const at = to === "next" ? next : cursors.pop();
    this.views[id] = { ...view, ...(at !== undefined && { after: at }) };
  }

  choose(id: string, row: string, isOne: boolean): void {
    const old = this.selected[id] ?? [];
    const rest = old.filter((one) => one !== row);
    this.selected[id] = isOne ? [row] : rest.length < old.length ? rest : [...rest, row];
  }

  /** Measures chart containers; a chart is rendered again if its width changes. */
  #measure(): void {
    let hasChanged = false;
    for (const place of this.#root.querySelectorAll<HTMLElement>("[data-chart]")) {
      const id = place.dataset["chart"] ?? "";
      const width = Math.floor(place.clientWidth);
      if (width === 0 || this.#widths.get(id) === width) continue;
      this.#widths.set(id, width);
      hasChanged = true;
    }
    if (hasChanged) this.render();
  }
}
