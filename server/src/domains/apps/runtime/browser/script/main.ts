/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The browser script of app pages. It contains no app logic: it sends inputs and actions to the server, and renders
 * the returned state. Responses and elements come from this server, so they are not validated here.
 */
import { byId, isControl, type Scalar, valueOf, readValues } from "./control.ts";
import { handleDrag } from "./drag.ts";
import { followChanges } from "./live.ts";
import { confirmAction, showMessage } from "./message.ts";
import type { Effect, PageState, StartData } from "../page-state.ts";
import { PageView } from "./page-view.ts";
import { recall, remember } from "./remember.ts";
import { uploadFiles } from "./upload.ts";

const SEARCH_MS = 250;

const start = JSON.parse(byId("start").textContent ?? "") as StartData;
const root = byId("app");
const view = new PageView(root, start.state);
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
let latestRequest = 0;
let refreshTimer: ReturnType<typeof setTimeout> | undefined;

root.addEventListener("click", (event) => void handleClick(event));
root.addEventListener("submit", (event) => void handleSubmit(event));
root.addEventListener("input", handleInput);
root.addEventListener("change", handleInput);
root.addEventListener("keydown", handleKey);
root.addEventListener("focusout", handleLeave);
handleDrag(root, (card) => void moveCard(card));
const isRecalled = recallPage();
view.render();
if (start.state.deferred || isRecalled || timeZone !== start.state.region.timeZone) void refresh();
followChanges(start.urls, () => void refresh());

function browserState() {
  const { inputs, views, selected, state } = view;
  return { page: state.path, params: start.params, inputs, views, selected, timeZone };
}

/** Restores the user's saved choices; returns true if they change the page. */
function recallPage(): boolean {
  const { inputs = {}, sorts = {}, tabs = {} } = recall(start.remembers, start.state.path);
  Object.assign(view.inputs, inputs);
  for (const [id, sort] of Object.entries(sorts)) view.sort(id, sort);
  for (const [id, tab] of Object.entries(tabs)) view.tabs.set(id, tab);
  return Object.keys(inputs).length > 0 || Object.keys(sorts).length > 0;
}

function rememberPage(): void {
  const sorts = Object.entries(view.views).flatMap(([id, { sort }]) =>
    sort === undefined ? [] : [[id, sort] as const],
  );
  remember(start.remembers, view.state.path, {
    inputs: view.inputs,
    sorts: Object.fromEntries(sorts),
    tabs: Object.fromEntries(view.tabs),
  });
}

/** Fetches the page's state; only the latest of concurrent requests counts. */
async function refresh(): Promise<void> {
  latestRequest += 1;
  const thisRequest = latestRequest;
  const answer = await post(start.urls.state, browserState());
  if (thisRequest !== latestRequest || !answer) return;
  view.state = answer as unknown as PageState;
  view.render();
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
    showMessage(answer.detail ?? "The action failed.", true);
  } catch {
    showMessage("Can't reach the server. Try again.", true);
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
  view.errors.delete(request.componentId);
  return applyEffects(answer["effects"] as Effect[], request, trigger);
}

function applyEffects(
  effects: readonly Effect[],
  { componentId }: ActionRequest,
  trigger: Element,
): boolean {
  let hasSucceeded = true;
  for (const effect of effects) {
    if (effect.kind === "navigate") location.assign(effect.url);
    if (effect.kind === "deselect") delete view.selected[effect.table];
    if (effect.kind === "message") showMessage(effect.text, false);
    if (effect.kind !== "error") continue;
    hasSucceeded = false;
    const [first] = Object.values(effect.fields ?? {});
    if (trigger instanceof HTMLFormElement)
      view.errors.set(componentId, { "": effect.message, ...effect.fields });
    else if (view.edited?.part === componentId)
      view.edited = { ...view.edited, error: first ?? effect.message };
    else showMessage(effect.message, true);
  }
  view.render();
  // Shows the result of the action before the page is refreshed.
  if (effects.some(({ kind }) => kind === "refresh")) void refresh();
  return hasSucceeded;
}

async function handleClick(event: Event): Promise<void> {
  const target = event.target as Element;
  const button = target.closest<HTMLElement>("button");
  if (!button) return pressRow(target);
  if (button.getAttribute("aria-disabled") === "true") return;
  const { part = "", row, confirm, act: action } = button.dataset;
  if (await look(button, part)) return;
  if (action === undefined) return;
  if (confirm !== undefined && !(await confirmAction(confirm, button.textContent ?? ""))) return;
  await sendAction({ componentId: part, action, ...(row !== undefined && { row }) }, button);
}

/** Handles buttons that only change the view; returns true if the button was one. */
async function look(button: HTMLElement, part: string): Promise<boolean> {
  const { tab, turn, next, open, sort, month, edit, row = "", move, deselect } = button.dataset;
  if (tab !== undefined) selectTab(part, Number(tab));
  else if (open !== undefined) (byId(open) as HTMLDialogElement).showModal();
  else if ("close" in button.dataset) button.closest("dialog")?.close();
  else if (deselect !== undefined) {
    delete view.selected[deselect];
    await refresh();
  } else if (edit !== undefined) editCell(part, row, edit);
  else if (move !== undefined) await moveCard({ part, row, to: move, trigger: button });
  else if (turn !== undefined || sort !== undefined || month !== undefined) {
    if (turn !== undefined) view.turn(part, turn, next);
    if (sort !== undefined) view.sort(part, sort);
    if (month !== undefined) view.views[part] = { month };
    rememberPage();
    await refresh();
  } else return false;
  return true;
}

/** A press anywhere on a row is one on its button. */
function pressRow(target: Element): void {
  if (target.closest("a, input, select, textarea, label, summary")) return;
  target.closest("tr.press")?.querySelector<HTMLElement>(".open")?.click();
}

function editCell(part: string, row: string, field: string): void {
  view.edited = { part, row, field };
  view.render();
  byId(`${part}.cell`).focus();
}

async function moveCard(card: {
  readonly part: string;
  readonly row: string;
  readonly to: string;
  readonly trigger: Element;
}): Promise<void> {
  const { part, row, to, trigger } = card;
  const request = { componentId: part, action: "/move", row, values: { value: to } };
  await sendAction(request, trigger);
}

/** Saves a changed cell; Escape cancels the change. */
async function keepCell(control: HTMLElement, value: Scalar): Promise<void> {
  const { cell: part = "", row = "" } = control.dataset;
  const { edited } = view;
  if (edited?.part !== part || edited.row !== row) return;
  const values = { field: edited.field, value };
  const isKept = await sendAction({ componentId: part, action: "/edit", row, values }, control);
  if (isKept) closeCell();
}

function closeCell(): void {
  const { edited } = view;
  view.edited = undefined;
  view.render();
  if (!edited) return;
  const { part, row, field } = edited;
  const place = `[data-part="${CSS.escape(part)}"][data-row="${CSS.escape(row)}"]`;
  root.querySelector<HTMLElement>(`${place}[data-edit="${CSS.escape(field)}"]`)?.focus();
}

async function handleSubmit(event: Event): Promise<void> {
  const form = event.target as HTMLFormElement;
  const id = form.dataset["form"];
  if (id === undefined) return;
  event.preventDefault();
  // The return key could submit a second time.
  if (form.querySelector("[aria-disabled]")) return;
  const values = await readValues(form);
  const done = await sendAction({ componentId: id, action: "/submit", values }, form);
  if (done) {
    form.reset();
    view.forget(form);
    form.closest("dialog")?.close();
  } else form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
}

/** Handles table search, row selection, and the inputs that expressions read. */
function handleInput(event: Event): void {
  const control = event.target as Element;
  if (!isControl(control)) return;
  const { search, input, choose, cell, row = "" } = control.dataset;
  if (search !== undefined && event.type === "input") view.search(search, control.value);
  else if (event.type !== "change") return;
  else if (control instanceof HTMLInputElement && "upload" in control.dataset)
    return uploadFiles(control, start.urls.upload, start.place);
  else if (cell !== undefined) {
    const isDone = control instanceof HTMLSelectElement || control.type === "checkbox";
    return isDone ? void keepCell(control, valueOf(control)) : undefined;
  } else if (choose !== undefined) view.choose(choose, row, control.type === "radio");
  else if (input === undefined) {
    const form = control.form;
    return form?.dataset["form"] === undefined ? undefined : view.enter(form);
  } else view.inputs[input] = valueOf(control);
  if (input !== undefined) rememberPage();
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => void refresh(), search === undefined ? 0 : SEARCH_MS);
}

function selectTab(id: string, tab: number): void {
  view.tabs.set(id, tab);
  rememberPage();
  view.render();
}

/** Arrow keys select the next tab, as in other tab lists; Enter saves a cell and Escape cancels. */
function handleKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (isControl(target) && target.dataset["cell"] !== undefined) {
    if (event.key === "Enter") void keepCell(target, valueOf(target));
    if (event.key === "Escape") closeCell();
    return;
  }
  const tab = target.closest<HTMLElement>("[role=tab]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!tab || step === undefined) return;
  const all = [...(tab.parentElement?.children ?? [])] as HTMLElement[];
  const next = all[(all.indexOf(tab) + step + all.length) % all.length];
  selectTab(next?.dataset["part"] ?? "", Number(next?.dataset["tab"]));
  next?.focus();
}

/** Saves a cell on blur if it has changed. */
function handleLeave(event: FocusEvent): void {
  const control = event.target as HTMLElement;
  if (!isControl(control) || control.dataset["cell"] === undefined || !view.edited) return;
  if (control instanceof HTMLInputElement && control.value !== control.defaultValue)
    void keepCell(control, valueOf(control));
  else if (!(control instanceof HTMLSelectElement)) closeCell();
}
