/** The time of the last visit, in this browser. What happens while they look is seen as it happens. */
import { place } from "../data/place.ts";

const KEY = `millrace.seen.${place.workspace ?? ""}.${place.environment}`;
const AT_FIRST_MS = 24 * 60 * 60 * 1_000;

/** Read once a page: to look away and back is no new visit. */
export const lastVisit: string =
  localStorage.getItem(KEY) ?? new Date(Date.now() - AT_FIRST_MS).toISOString();

addEventListener("pagehide", () => localStorage.setItem(KEY, new Date().toISOString()));
