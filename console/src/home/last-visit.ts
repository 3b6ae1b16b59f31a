/** The time of the last visit, stored in this browser. Later events are shown live. */
import { place } from "../data/place.ts";

const KEY = `millrace.seen.${place.workspace ?? ""}.${place.environment}`;
const AT_FIRST_MS = 24 * 60 * 60 * 1_000;

/** Read once per page load: switching tabs is not a new visit. */
export const lastVisit: string =
  localStorage.getItem(KEY) ?? new Date(Date.now() - AT_FIRST_MS).toISOString();

addEventListener("pagehide", () => localStorage.setItem(KEY, new Date().toISOString()));
