/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The page in which the builder shows a draft. It renders what the builder sends with the view of deployed apps,
 * and reports clicks to the builder; it sends no server requests.
 */
import { byId, isControl, type Scalar, valueOf } from "./control.ts";
import { showMessage } from "./message.ts";
import type { PageState } from "../page-state.ts";
import { PageView } from "./page-view.ts";

interface StageMessage {
  readonly kind: "show";
  readonly state: PageState;
  readonly chosen: string | null;
  readonly isUsed: boolean;
  readonly mode: string;
  readonly accent: string | null;
}

const root = byId("app");
let view: PageView | undefined;
let isUsed = false;
let chosen: string | null = null;

addEventListener("message", (event: MessageEvent) => {
  if (event.source !== parent || event.origin !== location.origin) return;
  const message = event.data as StageMessage;
  if (message.kind === "show") show(message);
});
document.addEventListener("click", handleClick, true);
root.addEventListener("input", handleInput);
root.addEventListener("change", handleInput);
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (isUsed || event.target !== document.body) return;
  tell({
    kind: "key",
    key: event.key,
    meta: event.metaKey || event.ctrlKey,
    shift: event.shiftKey,
  });
});
tell({ kind: "ready" });

function tell(message: object): void {
  parent.postMessage({ from: "millrace-stage", ...message }, location.origin);
}

function show(message: StageMessage): void {
  document.documentElement.dataset["mode"] = message.mode;
  document.documentElement.classList.toggle("used", message.isUsed);
  setAccent(message.accent);
  isUsed = message.isUsed;
  if (message.chosen !== chosen) chosen = message.chosen;
  view ??= new PageView(root, message.state);
  view.state = message.state;
  view.render();
  mark();
}

/** A constructed style sheet needs no exception in the content security policy. */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

function setAccent(accent: string | null): void {
  const isColour = accent !== null && /^#[0-9a-f]{6}$/i.test(accent);
  const dark = `color-mix(in srgb, ${accent} 55%, white)`;
  sheet.replaceSync(isColour ? `:root { --accent: light-dark(${accent}, ${dark}); }` : "");
}

let scrolledTo: string | null = null;

function mark(): void {
  for (const part of root.querySelectorAll<HTMLElement>(".part")) {
    const isChosen = part.dataset["key"] === chosen && !isUsed;
    part.classList.toggle("picked", isChosen);
    if (isChosen && scrolledTo !== chosen) part.scrollIntoView({ block: "nearest" });
  }
  scrolledTo = chosen;
}

function handleClick(event: Event): void {
  const target = event.target as Element;
  const link = target.closest("a");
  if (link) {
    event.preventDefault();
    const to = link.getAttribute("href") ?? "";
    if (to.startsWith("#")) return tell({ kind: "page", path: to.slice(1) });
  }
  const tab = target.closest<HTMLElement>("[role=tab]");
  if (tab && view) {
    view.tabs.set(tab.dataset["part"] ?? "", Number(tab.dataset["tab"]));
    view.render();
    mark();
  }
  if (!isUsed) {
    event.preventDefault();
    event.stopPropagation();
    const part = target.closest<HTMLElement>(".part");
    return tell({ kind: "choose", id: part?.dataset["key"] ?? null });
  }
  const button = target.closest<HTMLElement>("button");
  if (button && view) use(view, button);
}

/** Views are changed here; all else is for the deployed app. */
function use(page: PageView, button: HTMLElement): void {
  const { part = "", turn, next, sort, month, open, act, edit, move } = button.dataset;
  if (open !== undefined) return (byId(open) as HTMLDialogElement).showModal();
  if ("close" in button.dataset) return button.closest("dialog")?.close();
  if (turn !== undefined) page.turn(part, turn, next);
  else if (sort !== undefined) page.sort(part, sort);
  else if (month !== undefined) page.views[part] = { month };
  else if (act !== undefined || edit !== undefined || move !== undefined || button.closest("form"))
    return showMessage("The preview does not perform actions.", false);
  else return undefined;
  return tellState(page);
}

let searchTimer: ReturnType<typeof setTimeout> | undefined;
const SEARCH_MS = 300;

function handleInput(event: Event): void {
  const control = event.target as Element;
  if (!view || !isControl(control)) return;
  const page = view;
  const { search, input, choose, row = "" } = control.dataset;
  if (search !== undefined && event.type === "input") page.search(search, control.value);
  else if (event.type !== "change") return;
  else if (choose !== undefined) page.choose(choose, row, control.type === "radio");
  else if (input !== undefined) page.inputs[input] = valueOf(control) as Scalar;
  else return;
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => tellState(page), search === undefined ? 0 : SEARCH_MS);
}

function tellState({ inputs, views, selected }: PageView): void {
  tell({ kind: "state", inputs, views: { ...views }, selected: { ...selected } });
}
