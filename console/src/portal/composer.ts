import { showProblem, threadOf } from "./acts.ts";
import { client, upload, wordsOf } from "./client.ts";
import { refresh } from "./refresh.ts";

const DRAFT = "millrace.portal.answer.";

/** The reply box of a ticket: uploads files, and keeps a draft. */
export function listenToComposer(): void {
  restoreDraft();
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !target.closest("[data-comment]")) return;
    const { id } = threadOf(target);
    if (target.value === "") localStorage.removeItem(DRAFT + id);
    else localStorage.setItem(DRAFT + id, target.value);
  });
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "file") return;
    const shown = target.closest("[data-comment]")?.querySelector<HTMLElement>(".files");
    if (!shown) return;
    const names = [...(target.files ?? [])].map(({ name }) => name);
    shown.hidden = names.length === 0;
    shown.textContent = names.join(", ");
  });
  document.addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, metaKey } = event;
    if (key !== "Enter" || !(ctrlKey || metaKey) || !(target instanceof HTMLTextAreaElement))
      return;
    target.form?.requestSubmit();
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset["comment"] === undefined) return;
    event.preventDefault();
    void send(form);
  });
}

function restoreDraft(): void {
  const field = document.querySelector<HTMLTextAreaElement>("[data-comment] textarea");
  if (field) field.value = localStorage.getItem(DRAFT + threadOf(field).id) ?? "";
}

async function send(form: HTMLFormElement): Promise<void> {
  if (form.dataset["held"] !== undefined) return;
  const field = form.querySelector("textarea");
  const files = [...(form.querySelector<HTMLInputElement>("input[type=file]")?.files ?? [])];
  const body = field?.value.trim() ?? "";
  if (body === "" && files.length === 0) return;
  const { kind, id } = threadOf(form);
  const area = kind === "request" ? "requests" : "incidents";
  form.setAttribute("data-held", "");
  try {
    // Files are uploaded first, so that a reply is never sent without its files.
    const fileIds = await Promise.all(files.map(upload));
    for (const fileId of fileIds) {
      await client.call(`${area}.add_attachment`, { params: { id }, body: { fileId } });
    }
    if (body !== "") await client.call(`${area}.add_comment`, { params: { id }, body: { body } });
    localStorage.removeItem(DRAFT + id);
    form.reset();
    form.removeAttribute("data-held");
    await refresh({ isForced: true });
    document.querySelector(".talk")?.lastElementChild?.scrollIntoView({ block: "center" });
    document.querySelector<HTMLTextAreaElement>("[data-comment] textarea")?.focus();
  } catch (error) {
    form.removeAttribute("data-held");
    showProblem(form, wordsOf(error));
  }
}
