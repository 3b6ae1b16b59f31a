/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * What makes a page move. It knows nothing of the app: it says to the server what somebody entered and
 * pushed, and shows what the server says. Answers and elements are what we made them ourselves, so that
 * nothing of their shape is checked here.
 */
import { patch } from "./dom.ts";
import type { Effect, PageState, View } from "./tree.ts";
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
/** By the ids of components, which may be called `constructor`. */
const views = Object.create(null) as Record<string, View>;
/** Where each table was before, page by page. */
const trails = Object.create(null) as Record<string, (string | undefined)[]>;
const ui = {
  isAlive: true,
  tabs: new Map<string, number>(),
  faults: new Map<string, Readonly<Record<string, string>>>(),
};
let state = start.state;
let asked = 0;
let searching: ReturnType<typeof setTimeout> | undefined;

const status = document.createElement("div");
status.className = "message";
status.setAttribute("role", "status");
document.body.append(status);

root.addEventListener("click", (event) => void clicked(event));
root.addEventListener("submit", (event) => void submitted(event));
root.addEventListener("input", entered);
root.addEventListener("change", entered);
root.addEventListener("keydown", keyed);
render();

function render(): void {
  patch(root, [pageView(state, ui)]);
}

function occasion() {
  return { page: state.path, params: start.params, inputs, views };
}

/** Asks for the page anew. Of two answers only the later question's counts. */
async function refresh(): Promise<void> {
  asked += 1;
  const mine = asked;
  const answer = await ask(start.urls.state, occasion());
  if (mine !== asked || !answer) return;
  state = answer as unknown as PageState;
  render();
}

async function ask(url: string, body: object): Promise<Record<string, unknown> | undefined> {
  root.setAttribute("aria-busy", "true");
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // Who is no longer logged in is asked to.
    if (reply.status === 401) location.reload();
    const answer = (await reply.json()) as { data?: Record<string, unknown>; detail?: string };
    if (reply.ok) return answer.data;
    say(answer.detail ?? "This did not work.", true);
  } catch {
    say("The server can't be reached. Try again.", true);
  } finally {
    root.removeAttribute("aria-busy");
  }
  return undefined;
}

interface Push {
  readonly componentId: string;
  readonly action: string;
  readonly row?: string;
  readonly values?: Record<string, Scalar>;
}

/** Whether it was done. */
async function act(push: Push, by: Element): Promise<boolean> {
  const buttons = by instanceof HTMLFormElement ? [...by.querySelectorAll("button")] : [by];
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  const answer = await ask(start.urls.act, { ...occasion(), ...push });
  for (const button of buttons) button.removeAttribute("aria-disabled");
  if (!answer) return false;
  ui.faults.delete(push.componentId);
  return apply(answer["effects"] as Effect[], push);
}

function apply(effects: readonly Effect[], { componentId, values }: Push): boolean {
  let isDone = true;
  for (const effect of effects) {
    if (effect.kind === "navigate") location.assign(effect.url);
    if (effect.kind === "message") say(effect.text, false);
    if (effect.kind !== "error") continue;
    isDone = false;
    if (!values) say(effect.message, true);
    else ui.faults.set(componentId, { "": effect.message, ...effect.fields });
  }
  render();
  // Whoever waits for what came of it need not wait for how everything else looks now.
  if (effects.some(({ kind }) => kind === "refresh")) void refresh();
  return isDone;
}

async function clicked(event: Event): Promise<void> {
  const button = (event.target as Element).closest<HTMLElement>("button");
  if (!button || button.getAttribute("aria-disabled") === "true") return;
  const { part = "", act: action, row, confirm, tab, turn, next, open } = button.dataset;
  if (tab !== undefined) choose(part, Number(tab));
  else if (turn !== undefined) await turned(part, turn, next);
  else if (open !== undefined) (byId(open) as HTMLDialogElement).showModal();
  else if ("close" in button.dataset) button.closest("dialog")?.close();
  else if (action !== undefined) {
    if (confirm !== undefined && !(await confirmed(confirm, button.textContent ?? ""))) return;
    await act({ componentId: part, action, ...(row !== undefined && { row }) }, button);
  }
}

async function submitted(event: Event): Promise<void> {
  const form = event.target as HTMLFormElement;
  const id = form.dataset["form"];
  if (id === undefined) return;
  event.preventDefault();
  // The return key asks a second time as easily as a button does.
  if (form.querySelector("[aria-disabled]")) return;
  const done = await act({ componentId: id, action: "/submit", values: valuesOf(form) }, form);
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

/** Something was typed or chosen: in a table's search, or in what the page reads as `inputs`. */
function entered(event: Event): void {
  const control = event.target as Element;
  if (!isControl(control)) return;
  const { search, input } = control.dataset;
  if (search !== undefined && event.type === "input") {
    views[search] = control.value === "" ? {} : { q: control.value };
    delete trails[search];
  } else if (input !== undefined && event.type === "change") inputs[input] = valueOf(control);
  else return;
  clearTimeout(searching);
  searching = setTimeout(() => void refresh(), search === undefined ? 0 : SEARCH_MS);
}

async function turned(id: string, turn: string, next: string | undefined): Promise<void> {
  const trail = (trails[id] ??= []);
  const { after, ...view } = views[id] ?? {};
  if (turn === "next") trail.push(after);
  const to = turn === "next" ? next : trail.pop();
  views[id] = { ...view, ...(to !== undefined && { after: to }) };
  await refresh();
}

function choose(id: string, tab: number): void {
  ui.tabs.set(id, tab);
  render();
}

/** Arrows go from tab to tab, as people who use a keyboard expect. */
function keyed(event: KeyboardEvent): void {
  const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!tab || step === undefined) return;
  const all = [...(tab.parentElement?.children ?? [])] as HTMLElement[];
  const next = all[(all.indexOf(tab) + step + all.length) % all.length];
  choose(next?.dataset["part"] ?? "", Number(next?.dataset["tab"]));
  next?.focus();
}

/** Asks back. Browsers keep their own question from pages in frames. */
function confirmed(question: string, label: string): Promise<boolean> {
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

let hiding: ReturnType<typeof setTimeout> | undefined;

function say(text: string, isBad: boolean): void {
  status.textContent = text;
  status.classList.toggle("bad", isBad);
  clearTimeout(hiding);
  hiding = setTimeout(() => (status.textContent = ""), MESSAGE_MS);
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
