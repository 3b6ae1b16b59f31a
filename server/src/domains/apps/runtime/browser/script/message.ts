/// <reference lib="dom" />
/** Messages to the user: a line at the bottom, and confirmation dialogs. */
import { patch } from "./dom.ts";

const MESSAGE_MS = 6_000;

const status = document.createElement("div");
status.className = "message";
status.setAttribute("role", "status");
document.body.append(status);

let messageTimer: ReturnType<typeof setTimeout> | undefined;

export function showMessage(text: string, isBad: boolean): void {
  status.textContent = text;
  status.classList.toggle("bad", isBad);
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (status.textContent = ""), MESSAGE_MS);
}

/** Shows a custom confirmation dialog, because browsers block `confirm` in frames. */
export function confirmAction(question: string, label: string): Promise<boolean> {
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
