/** The recently viewed records of this browser, newest first. */
import { BASE_PATH, place } from "../../data/place.ts";

export interface Visit {
  readonly path: string;
  readonly name: string;
}

const RECENTS_MAX = 12;
const key = (): string => `millrace.recents.${place.workspace ?? ""}`;

export function readRecents(): readonly Visit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key()) ?? "[]");
    return Array.isArray(stored) ? (stored as Visit[]) : [];
  } catch {
    return [];
  }
}

export function noteVisit(path: string, name: string): void {
  const local = path.slice(BASE_PATH.length);
  localStorage.setItem(key(), JSON.stringify(addVisit(readRecents(), { path: local, name })));
}

/** Adds a visit at the front; an earlier visit to the same address is removed. */
export function addVisit(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  return [visit, ...visits.filter(({ path }) => path !== visit.path)].slice(0, RECENTS_MAX);
}
