/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The browser script of app pages. It knows nothing of the app: it sends inputs and actions to the server,
 * and renders the state that the server returns. Responses and elements are our own, so they are not
 * validated here.
 */
import { patch } from "./dom.ts";
import type { Effect, PageState, TableViewState } from "./page-state.ts";
import { pageView } from "./view.ts";

interface Start {
  readonly state: PageState;
  readonly params: Readonly<Record<string, string>>;
  readonly urls: { readonly state: string; readonly act: string };
}

type Scalar = string | number | boolean | null;

const SEARCH_MS = 250;
const MESSAGE_MS = 6_000;

const start = JSON.parse(byId("start").textContent ?? "") as Start;
const root = byId("app");
const inputs: Record<string, Scalar> = {};
/** By component id, which may be `constructor`. */
const views = Object.create(null) as Record<string, TableViewState>;
/** The cursors of the previous pages of each table. */
const previousCursors = Object.create(null) as Record<string, (string | undefined)[]>;
const ui = {
  hasScript: true,
  tabs: new Map<string, number>(),
  errors: new Map<string, Readonly<Record<string, string>>>(),
};
let state = start.state;
let latestRequest = 0;
let refreshTimer: ReturnType<typeof setTimeout> | undefined;

const status = document.createElement("div");
status.className = "message";
status.setAttribute("role", "status");
document.body.append(status);

root.addEventListener("click", (event) => void handleClick(event));
root.addEventListener("submit", (event) => void handleSubmit(event));
root.addEventListener("input", handleInput);
root.addEventListener("change", handleInput);
root.addEventListener("keydown", handleKey);
render();
if (state.deferred) void refresh();

function render(): void {
  patch(root, [pageView(state, ui)]);
}

function browserState() {
  return { page: state.path, params: start.params, inputs, views };
}

/** Fetches the page's state; of concurrent requests only the latest counts. */
async function refresh(): Promise<void> {
  latestRequest += 1;
  const thisRequest = latestRequest;
  const answer = await post(start.urls.state, browserState());
  if (thisRequest !== latestRequest || !answer) return;
  state = answer as unknown as PageState;
  render();
}

async function post(url: string, body: object): Promise<Record<string, unknown> | undefined> {
  root.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // The session has ended: reloading shows the login page.
    if (response.status === 401) location.reload();
    const answer = (await response.json()) as { data?: Record<string, unknown>; detail?: string };
    if (response.ok) return answer.data;
    showMessage(answer.detail ?? "This did not work.", true);
  } catch {
    showMessage("The server can't be reached. Try again.", true);
  } finally {
    root.removeAttribute("aria-busy");
  }
  return undefined;
}

interface ActionRequest {
  readonly componentId: string;
  readonly action: string;
  readonly row?: string;
  readonly values?: Record<string, Scalar>;
}

/** Sends an action; true when it succeeded. */
async function sendAction(request: ActionRequest, trigger: Element): Promise<boolean> {
  const buttons =
    trigger instanceof HTMLFormElement ? [...trigger.querySelectorAll("button")] : [trigger];
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  const answer = await post(start.urls.act, { ...browserState(), ...request });
  for (const button of buttons) button.removeAttribute("aria-disabled");
  if (!answer) return false;
  ui.errors.delete(request.componentId);
  return applyEffects(answer["effects"] as Effect[], request);
}

function applyEffects(effects: readonly Effect[], { componentId, values }: ActionRequest): boolean {
  let hasSucceeded = true;
  for (const effect of effects) {
    if (effect.kind === "navigate") location.assign(effect.url);
    if (effect.kind === "message") showMessage(effect.text, false);
    if (effect.kind !== "error") continue;
    hasSucceeded = false;
    if (!values) showMessage(effect.message, true);
    else ui.errors.set(componentId, { "": effect.message, ...effect.fields });
  }
  render();
  // The result of the action does not wait for the refreshed page.
  if (effects.some(({ kind }) => kind === "refresh")) void refresh();
  return hasSucceeded;
}

async function handleClick(event: Event): Promise<void> {
  const button = (event.target as Element).closest<HTMLElement>("button");
  if (!button || button.getAttribute("aria-disabled") === "true") return;
  const { part = "", act: action, row, confirm, tab, turn, next, open } = button.dataset;
  if (tab !== undefined) selectTab(part, Number(tab));
  else if (turn !== undefined) await turnPage(part, turn, next);
  else if (open !== undefined) (byId(open) as HTMLDialogElement).showModal();
  else if ("close" in button.dataset) button.closest("dialog")?.close();
  else if (action !== undefined) {
    if (confirm !== undefined && !(await confirmAction(confirm, button.textContent ?? ""))) return;
    await sendAction({ componentId: part, action, ...(row !== undefined && { row }) }, button);
  }
}

async function handleSubmit(event: Event): Promise<void> {
  const form = event.target as HTMLFormElement;
  const id = form.dataset["form"];
  if (id === undefined) return;
  event.preventDefault();
  // The return key could submit a second time.
  if (form.querySelector("[aria-disabled]")) return;
  const done = await sendAction(
    { componentId: id, action: "/submit", values: valuesOf(form) },
    form,
  );
  if (done) {
    form.reset();
    form.closest("dialog")?.close();
  } else form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
}

function valuesOf(form: HTMLFormElement): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const control of form.elements) {
    if (!isControl(control) || control.name === "") continue;
    values[control.name] = valueOf(control);
  }
  return values;
}

/** Handles the search of a table, and the inputs that bindings read. */
function handleInput(event: Event): void {
  const control = event.target as Element;
  if (!isControl(control)) return;
  const { search, input } = control.dataset;
  if (search !== undefined && event.type === "input") {
    views[search] = control.value === "" ? {} : { q: control.value };
    delete previousCursors[search];
  } else if (input !== undefined && event.type === "change") inputs[input] = valueOf(control);
  else return;
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => void refresh(), search === undefined ? 0 : SEARCH_MS);
}

async function turnPage(id: string, turn: string, next: string | undefined): Promise<void> {
  const cursors = (previousCursors[id] ??= []);
  const { after, ...view } = views[id] ?? {};
  if (turn === "next") cursors.push(after);
  const to = turn === "next" ? next : cursors.pop();
  views[id] = { ...view, ...(to !== undefined && { after: to }) };
  await refresh();
}

function selectTab(id: string, tab: number): void {
  ui.tabs.set(id, tab);
  render();
}

/** Arrow keys select the next tab, as keyboard users expect. */
function handleKey(event: KeyboardEvent): void {
  const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!tab || step === undefined) return;
  const all = [...(tab.parentElement?.children ?? [])] as HTMLElement[];
  const next = all[(all.indexOf(tab) + step + all.length) % all.length];
  selectTab(next?.dataset["part"] ?? "", Number(next?.dataset["tab"]));
  next?.focus();
}

/** Asks for confirmation in a dialog of our own: browsers block `confirm` in frames. */
function confirmAction(question: string, label: string): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "question";
  patch(dialog, [
    { tag: "p", attributes: { id: "question" }, children: [question] },
    {
      tag: "form",
      attributes: { method: "dialog", class: "row" },
      children: [
        { tag: "button", attributes: { value: "", class: "push" }, children: ["Cancel"] },
        { tag: "button", attributes: { value: "yes", class: "push primary" }, children: [label] },
      ],
    },
  ]);
  dialog.setAttribute("aria-labelledby", "question");
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

let messageTimer: ReturnType<typeof setTimeout> | undefined;

function showMessage(text: string, isBad: boolean): void {
  status.textContent = text;
  status.classList.toggle("bad", isBad);
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (status.textContent = ""), MESSAGE_MS);
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isControl(element: Element): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

function valueOf(control: Control): Scalar {
  return control instanceof HTMLInputElement && control.type === "checkbox"
    ? control.checked
    : control.value;
}

function byId(id: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
  if (!element) throw new Error(`The page has no ${id}.`);
  return element;
}
