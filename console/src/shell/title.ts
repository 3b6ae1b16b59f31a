import { useEffect } from "react";
import { place } from "../data/place.ts";
import { toWords } from "../ui/words.ts";
import { noteVisit } from "./palette/recents.ts";

/** Sets the title of the browser tab. Outside production it starts with the environment. */
export function setTitle(name: string | undefined): void {
  const where = place.environment === "production" ? "" : `${toWords(place.environment)} · `;
  document.title = `${where}${name === undefined ? "" : `${name} · `}Millrace`;
}

/** Sets the name of the displayed record in the browser tab and in the recent pages. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return;
    setTitle(name);
    noteVisit(`${location.pathname}`, name);
  }, [name]);
}
