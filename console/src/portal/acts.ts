import { client, wordsOf } from "./client.ts";
import { refresh } from "./refresh.ts";

const UNDO_MS = 5_000;

/** Runs an action once and refreshes the page; an error is shown next to the button. */
async function perform(button: HTMLElement, act: () => Promise<unknown>): Promise<void> {
  const acts = button.parentElement;
  if (acts?.dataset["held"] !== undefined) return;
  acts?.setAttribute("data-held", "");
  try {
    await act();
    acts?.removeAttribute("data-held");
    await refresh({ isForced: true });
  } catch (error) {
    acts?.removeAttribute("data-held");
    showProblem(acts ?? button, wordsOf(error));
  }
}

/** Shows a message below an element, at most once. */
export function showProblem(place: HTMLElement, words: string): void {
  let problem = place.querySelector<HTMLElement>(".problem");
  if (!problem) {
    problem = document.createElement("p");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    place.append(problem);
  }
  problem.hidden = false;
  problem.textContent = words;
}

/** The "Me too" button of an outage. */
export function reportAffected(button: HTMLElement, id: string): Promise<void> {
  return perform(button, () => client.call("outages.report_affected", { params: { id } }));
}

interface ThreadPlace {
  readonly kind: string;
  readonly id: string;
}

/** Returns the ticket or request of the page. */
export function threadOf(element: Element): ThreadPlace {
  const { kind = "incident", id = "" } = element.closest<HTMLElement>("[data-kind]")?.dataset ?? {};
  return { kind, id };
}

export function rate(button: HTMLElement, satisfaction: number): Promise<void> {
  const { kind, id } = threadOf(button);
  const input = { params: { id }, body: { satisfaction } };
  return perform(button, () =>
    kind === "request" ? client.call("requests.rate", input) : client.call("incidents.rate", input),
  );
}

/** Closes or reopens an incident; reminds the approvers of a request, or cancels it. */
export function settle(button: HTMLElement): Promise<void> | void {
  const { id } = threadOf(button);
  const params = { id };
  const { act } = button.dataset;
  if (act === "confirm") {
    return perform(button, () => client.call("incidents.close", { params }));
  }
  if (act === "remind") {
    return perform(button, () => client.call("requests.remind", { params }));
  }
  if (act === "withdraw") {
    return perform(button, () => client.call("requests.cancel", { params, body: {} }));
  }
  return askWhy(button, "What is still not working?", (reason) => {
    void perform(button, () => client.call("incidents.reopen", { params, body: { reason } }));
  });
}

export function giveFeedback(button: HTMLElement, helpful: boolean): Promise<void> {
  const id = button.closest<HTMLElement>("[data-article]")?.dataset["article"] ?? "";
  return perform(button, async () => {
    await client.call("knowledge.give_feedback", { params: { id }, body: { helpful } });
    const said = document.createElement("p");
    said.textContent = "Thank you.";
    button.parentElement?.replaceChildren(said);
  });
}

/** Opens a file through a temporary link, because links of a page can't send a workspace header. */
export async function openFile(button: HTMLElement, id: string): Promise<void> {
  try {
    const { data } = await client.call("files.create_link", { params: { id } });
    const { pathname, search } = new URL(data.url, location.origin);
    location.assign(`${pathname}${search}`);
  } catch (error) {
    showProblem(button, wordsOf(error));
  }
}

/**
 * Approves with one tap, with five seconds to undo: the request is sent afterwards, or when the user leaves the
 * page.
 */
export function decide(button: HTMLElement): void {
  const acts = button.parentElement;
  const id = acts?.dataset["decision"];
  if (!acts || id === undefined) return;
  if (button.dataset["act"] === "reject") {
    askWhy(button, "Reason for rejection", (reason) => {
      void perform(button, () =>
        client.call("requests.reject", { params: { id }, body: { reason } }),
      );
    });
    return;
  }
  const before = [...acts.childNodes];
  acts.setAttribute("data-held", "");
  const said = document.createElement("span");
  said.textContent = "Approved.";
  const undo = document.createElement("button");
  undo.textContent = "Undo";
  acts.replaceChildren(said, undo);
  undo.focus();
  const send = (): void => {
    forget();
    acts.removeAttribute("data-held");
    void perform(undo, () => client.call("requests.approve", { params: { id }, body: {} }));
  };
  const timer = setTimeout(send, UNDO_MS);
  const forget = (): void => {
    clearTimeout(timer);
    removeEventListener("pagehide", send);
  };
  addEventListener("pagehide", send);
  undo.addEventListener("click", (event) => {
    event.stopPropagation();
    forget();
    acts.removeAttribute("data-held");
    acts.replaceChildren(...before);
  });
}

/** Asks for a reason in the same place. */
function askWhy(button: HTMLElement, question: string, send: (reason: string) => void): void {
  const acts = button.parentElement;
  if (!acts) return;
  const before = [...acts.childNodes];
  const form = document.createElement("form");
  form.className = "why";
  const label = document.createElement("label");
  label.textContent = question;
  const reason = document.createElement("textarea");
  reason.required = true;
  reason.rows = 2;
  reason.maxLength = 2_000;
  label.append(reason);
  const done = document.createElement("button");
  done.className = "primary";
  done.textContent = "Send";
  const leave = document.createElement("button");
  leave.type = "button";
  leave.textContent = "Cancel";
  leave.addEventListener("click", (event) => {
    event.stopPropagation();
    acts.replaceChildren(...before);
  });
  form.append(label, done, leave);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    acts.replaceChildren(...before);
    send(reason.value.trim());
  });
  acts.replaceChildren(form);
  reason.focus();
}
