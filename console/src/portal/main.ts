/**
 * The script of the portal. The server renders every page, and renders it again after an action; only forms are
 * rendered here. All pages are readable without scripts.
 */
import "./portal.css";
import { decide, giveFeedback, openFile, rate, reportAffected, settle } from "./acts.ts";
import { listenToComposer } from "./composer.ts";
import { followPage } from "./follow.ts";
import { listenToSearch } from "./search.ts";
import { start } from "./start.ts";
import { writeTimes } from "./times.ts";

writeTimes(document);
listenToSearch();
listenToComposer();
document.addEventListener("click", (event) => {
  const { target } = event;
  const button = target instanceof Element ? target.closest("button") : null;
  if (!button) return;
  const { outage, rate: score, file, helpful } = button.dataset;
  // Without scripts, the surrounding form performs the same action.
  if (isAct(button)) event.preventDefault();
  if (outage !== undefined) void reportAffected(button, outage);
  else if (score !== undefined) void rate(button, Number(score));
  else if (file !== undefined) void openFile(button, file);
  else if (helpful !== undefined) void giveFeedback(button, helpful === "true");
  else if (button.closest("[data-decision]")) decide(button);
  else if (button.dataset["act"] !== undefined) void settle(button);
});
if (start.form !== undefined) void import("./form.tsx").then(({ showForm }) => showForm());
else followPage();

/** Returns whether a button has its own action instead of submitting its form. */
function isAct({ dataset }: HTMLElement): boolean {
  return ["outage", "rate", "file", "helpful", "act"].some((name) => dataset[name] !== undefined);
}
